// Byte code for what the page imports: precompile.mjs FROM TO runs precompile.py in the page's own
// Python, here in Node, since byte code belongs to one version of Python.

import { readFileSync } from 'node:fs';
import { loadPyodide } from 'pyodide';

const [from, to] = process.argv.slice(2);
globalThis.rushPage = { redis: {}, onImport: [] }; // nothing is run, only imported
const python = await loadPyodide();
python.mountNodeFS('/from', from);
python.mountNodeFS('/to', to);
try {
  python.runPython(readFileSync(new URL('precompile.py', import.meta.url), 'utf8'), { filename: 'precompile.py' });
} catch (error) {
  console.error(error.message); // without the minified source that Node would show
  process.exitCode = 1;
}
