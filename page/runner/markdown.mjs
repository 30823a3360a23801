// As much Markdown as a lesson's outputs use: code fences, headings, lists, tables, paragraphs.

const escape = text => text.replace(/[&<>"]/g, mark => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark]);

const LUA = /(--[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|return|then|true|until|while)\b/g;

/** Lua with the classes that the site's style sheet knows: comments, strings, keywords. */
export function lua(source) {
  let html = '', at = 0;
  for (const found of source.matchAll(LUA)) {
    const kind = found[1] ? 'c1' : found[2] ? 's2' : 'k';
    html += `${escape(source.slice(at, found.index))}<span class="${kind}">${escape(found[0])}</span>`;
    at = found.index + found[0].length;
  }
  return html + escape(source.slice(at));
}

function inline(text) {
  const kept = [];
  const keep = html => `\u0000${kept.push(html) - 1}\u0000`;
  const html = escape(text.replace(/`([^`]+)`/g, (_, code) => keep(`<code>${escape(code)}</code>`)))
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (all, words, target) => (/^(https?:|[./#\w])/.test(target) && !/^javascript:/i.test(target) ? `<a href="${target}">${words}</a>` : all));
  return html.replace(/\u0000(\d+)\u0000/g, (_, number) => kept[number]);
}

const cells = row => row.trim().replace(/^\||\|$/g, '').split('|').map(cell => inline(cell.trim()));
const rows = (lines, tag) => lines.map(line => `<tr>${cells(line).map(cell => `<${tag}>${cell}</${tag}>`).join('')}</tr>`).join('');

function block(lines) {
  const heading = /^(#{1,6}) (.*)/.exec(lines[0]);
  if (heading) return `<p><strong>${inline(heading[2])}</strong></p>` + (lines.length > 1 ? block(lines.slice(1)) : '');
  if (lines.length > 1 && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[1])) {
    return `<div class="table"><table class="t"><thead>${rows([lines[0]], 'th')}</thead><tbody>${rows(lines.slice(2), 'td')}</tbody></table></div>`;
  }
  const mark = /^(?:([-*])|\d+\.) /;
  if (mark.test(lines[0])) {
    const tag = mark.exec(lines[0])[1] ? 'ul' : 'ol';
    return `<${tag}>${lines.map(line => `<li>${inline(line.replace(mark, ''))}</li>`).join('')}</${tag}>`;
  }
  return `<p>${inline(lines.join('\n'))}</p>`;
}

/** Markdown to HTML. */
export function markdown(text) {
  return text.split(/^```(\w*)\n([\s\S]*?)^```[ \t]*$/m).map((part, i, all) => {
    if (i % 3 === 1) return '';
    if (i % 3 === 2) return `<div class="highlight"><pre><code>${all[i - 1] === 'lua' ? lua(part) : escape(part)}</code></pre></div>`;
    return part.split(/\n\s*\n/).map(one => one.trim()).filter(Boolean).map(one => block(one.split('\n'))).join('');
  }).join('');
}
