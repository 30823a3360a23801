// The stage in JupyterLab: an anywidget. lab/stage_widget.py is its other half, lab/stage_module.py
// makes one module of this and all that it imports.

import { build } from './instruments.mjs';
import { KernelServer } from './server.mjs';

/** `model` is the widget, `el` the output of its cell. */
function render({ model, el }) {
  const shadow = el.attachShadow({ mode: 'open' });
  if (document.body.dataset.jpThemeLight === 'false') el.setAttribute('data-dark', '');
  build(shadow, model.get('css'), String(model.get('day')), new KernelServer(model)).start();
}

export default { render };
