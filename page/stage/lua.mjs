// Lua for the eye: its colours, and what an error of Redis says about a line.

const TOKEN =
  /(--\[\[[\s\S]*?(?:\]\]|$)|--.*)|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\b(and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|return|then|true|until|while)\b|\b(\d[\w.]*)/g;

export const escape = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt()};`);

/** The source as HTML, tokens in <i class="comment|string|keyword|number">; a comment that begins
 *  with BROKEN is `broken`. */
export function paint(source) {
  let html = '';
  let at = 0;
  for (const match of source.matchAll(TOKEN)) {
    const [text, comment, string, keyword] = match;
    const kind = comment ? (/^--\s*BROKEN/.test(comment) ? 'broken' : 'comment') : string ? 'string' : keyword ? 'keyword' : 'number';
    html += `${escape(source.slice(at, match.index))}<i class="${kind}">${escape(text)}</i>`;
    at = match.index + text.length;
  }
  return html + escape(source.slice(at));
}

/** { line, words } of an error reply; `line` is null when it names none. */
export function faultOf(message) {
  const line = Number(/user_script:(\d+)/.exec(message)?.[1]) || null;
  const words = message
    .replace(/^.*?user_script:\d+: (?=.*)/, '')
    .replace(/,? script: [0-9a-f]{40}.*$/, '')
    .replace(/^ERR /, '');
  return { line, words };
}

/** A reply as Lua would write it: {1, 99, 0}. */
export function literal(value) {
  if (Array.isArray(value)) return `{${value.map(literal).join(', ')}}`;
  if (value === null || value === undefined) return 'nil';
  return typeof value === 'number' ? String(value) : `"${value}"`;
}
