// What redis-cli does with a line and with a reply: the twin of notebooks/lab/redis_cli.py, and tests
// hold the two to the same answers. A reply is null, { integer }, { status }, { error }, { text } or an
// array of them; bytes travel as text with one character a byte.

const UTF8_IN = new TextEncoder();
const UTF8_OUT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true });
const ESCAPES = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
const NAMED = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x07': '\\a', '\b': '\\b' };
const UNSEEN = /[\p{C}\p{Z}]/u; // beside the plain space, which is seen
const WRONG = 'Invalid argument(s)';

/** A text's bytes, one character each. */
export const bytesOf = text => String.fromCharCode(...UTF8_IN.encode(text));

const rawOf = bytes => Uint8Array.from(bytes, sign => sign.charCodeAt());

/** A line's words as bytes, with redis-cli's quoting; throws when a quote is not closed or not followed by a space. */
export function splitLine(line) {
  const signs = [...line];
  const words = [];
  let at = 0;
  const isSpace = sign => /\s/.test(sign);
  const quoted = quote => {
    let word = '';
    while (at < signs.length) {
      const sign = signs[at++];
      const next = signs[at];
      if (sign === quote) {
        if (next !== undefined && !isSpace(next)) break;
        return word;
      }
      if (sign !== '\\' || next === undefined || (quote === "'" && next !== "'")) word += bytesOf(sign);
      else if (quote === "'") {
        word += next;
        at++;
      } else {
        at++;
        const digits = signs.slice(at, at + 2).join('');
        if (next === 'x' && /^[0-9a-f]{2}$/i.test(digits)) {
          word += String.fromCharCode(parseInt(digits, 16));
          at += 2;
        } else word += ESCAPES[next] ?? bytesOf(next);
      }
    }
    throw new Error(WRONG);
  };
  for (;;) {
    while (at < signs.length && isSpace(signs[at])) at++;
    if (at >= signs.length) return words;
    let word = '';
    while (at < signs.length && !isSpace(signs[at])) {
      const sign = signs[at++];
      if (sign === '"' || sign === "'") {
        word += quoted(sign);
        break;
      }
      word += bytesOf(sign);
    }
    words.push(word);
  }
}

/** Bytes sign by sign: `seen(sign)` for each sign of text, `odd(byte)` for each byte that is no part of one. */
function read(bytes, seen, odd) {
  let shown = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.charCodeAt(at);
    const size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let sign = null;
    try {
      sign = UTF8_OUT.decode(rawOf(bytes.slice(at, at + size)));
    } catch {} // no text: one byte, and on
    shown += sign === null ? odd(first) : seen(sign);
    at += sign === null ? 1 : size;
  }
  return shown;
}

const hex = byte => `\\x${byte.toString(16).padStart(2, '0')}`;

/** Bytes for a sentence: what is no text becomes �. */
export const plain = bytes => LENIENT.decode(rawOf(bytes));

const quote = bytes => `"${read(bytes, sign => NAMED[sign] ?? (sign === ' ' || !UNSEEN.test(sign) ? sign : [...UTF8_IN.encode(sign)].map(hex).join('')), hex)}"`;

/** A reply as redis-cli writes it; lines after the first are indented by `indent`. */
export function format(reply, indent = 0) {
  if (reply === null) return '(nil)';
  if (!Array.isArray(reply)) {
    if ('integer' in reply) return `(integer) ${reply.integer}`;
    if ('status' in reply) return plain(reply.status);
    if ('error' in reply) return `(error) ${plain(reply.error)}`;
    return quote(reply.text);
  }
  if (!reply.length) return '(empty array)';
  const digits = String(reply.length).length;
  return reply.map((item, k) => `${String(k + 1).padStart(digits)}) ${format(item, indent + digits + 2)}`).join(`\n${' '.repeat(indent)}`);
}

// ── The wire, for the worker ──

/** Words (bytes) as the protocol sends them. */
export function pack(words) {
  return rawOf(`*${words.length}\r\n${words.map(word => `$${word.length}\r\n${word}\r\n`).join('')}`);
}

/** The reply at `from`: { reply, end }; null when it is not all there. */
export function unpack(bytes, from = 0) {
  const stop = bytes.indexOf('\r\n', from);
  if (stop < 0) return null;
  const rest = bytes.slice(from + 1, stop);
  let end = stop + 2;
  switch (bytes[from]) {
    case '+': return { reply: { status: rest }, end };
    case '-': return { reply: { error: rest }, end };
    case ':': return { reply: { integer: rest }, end };
    case '$': {
      if (rest === '-1') return { reply: null, end };
      const text = bytes.slice(end, end + Number(rest));
      return text.length === Number(rest) ? { reply: { text }, end: end + Number(rest) + 2 } : null;
    }
    case '*': {
      if (rest === '-1') return { reply: null, end };
      const reply = [];
      for (let k = 0; k < Number(rest); k++) {
        const item = unpack(bytes, end);
        if (!item) return null;
        reply.push(item.reply);
        end = item.end;
      }
      return { reply, end };
    }
  }
  throw new Error(`The server answered ${JSON.stringify(bytes.slice(from, from + 20))}, which is not RESP2.`);
}
