// The code of a cell, made editable where it stands, with the keys that a notebook has.

const INDENT = '    ';

/** The text of an edited element: browsers put in <br> as they please. */
export function read(code) {
  let text = '';
  for (const node of code.childNodes) text += node.nodeName === 'BR' ? '\n' : node.nodeType === Node.TEXT_NODE ? node.data : read(node);
  return text;
}

const type = text => document.execCommand('insertText', false, text); // the only way that keeps undo

/** What stands on the caret's line before it. */
function lineBefore(code) {
  const range = getSelection().getRangeAt(0).cloneRange();
  range.setStart(code, 0);
  const holder = document.createElement('div');
  holder.append(range.cloneContents());
  return read(holder).split('\n').at(-1);
}

/** Makes `code` editable. Shift+Enter or Ctrl+Enter calls `run`; Escape gives the Tab key back. */
export function edit(code, label, run, leave) {
  code.contentEditable = 'plaintext-only';
  if (code.contentEditable !== 'plaintext-only') code.contentEditable = 'true';
  code.spellcheck = false;
  code.setAttribute('role', 'textbox');
  code.setAttribute('aria-multiline', 'true');
  code.setAttribute('aria-label', label);
  code.setAttribute('autocapitalize', 'off');
  let editing = false; // Tab walks on through the page until something has been typed or clicked
  code.addEventListener('pointerdown', () => (editing = true));
  code.addEventListener('blur', () => (editing = false));
  code.addEventListener('input', () => (editing = true));
  code.addEventListener('paste', event => {
    event.preventDefault();
    type(event.clipboardData.getData('text/plain'));
  });
  code.addEventListener('keydown', event => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const line = lineBefore(code);
      type(`\n${/^[ \t]*/.exec(line)[0]}${/:\s*$/.test(line) ? INDENT : ''}`);
    } else if (event.key === 'Tab' && !event.shiftKey && editing) {
      event.preventDefault();
      type(INDENT);
    } else if (event.key === 'Escape') {
      editing = false;
      leave();
    }
  });
}
