import { type Block, blocksOf, type Inline, inlinesOf } from './markdown.ts';
import type { Documents } from './pages.ts';
import { slugOf } from './slug.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);

/**
 * Returns the address of a link, or null if it is not an http address or a relative path. The extension `.md` of other
 * pages is removed.
 */
function addressOf(href: string): string | null {
  if (/^https?:/.test(href)) return href;
  if (/^[a-z]+:/i.test(href)) return null;
  return href.replace(/\.md(?=#|$)/, '');
}

function shownInline(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escaped(inline.text);
    case 'code':
      return `<code>${escaped(inline.text)}</code>`;
    case 'strong':
      return `<strong>${shown(inline.content)}</strong>`;
    case 'image':
      return `<img src="${escaped(inline.href)}" alt="${escaped(inline.text)}">`;
    case 'link': {
      const address = addressOf(inline.href);
      return address === null ? shown(inline.content) : `<a href="${escaped(address)}">${shown(inline.content)}</a>`;
    }
  }
}

const shown = (content: readonly Inline[]): string => content.map(shownInline).join('');

const html = (text: string): string => shown(inlinesOf(text));

const row = (cells: readonly string[], tag: 'td' | 'th'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('')}</tr>`;

function shownBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${escaped(slugOf(block.text))}">${html(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${html(block.text)}</p>`;
    case 'list': {
      const tag = block.items[0]?.marker === '-' ? 'ul' : 'ol';
      return `<${tag}>${block.items.map(({ text }) => `<li>${html(text)}</li>`).join('')}</${tag}>`;
    }
    case 'table':
      return `<table><thead>${row(block.head, 'th')}</thead><tbody>${block.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
    case 'code':
      return `<pre><code>${escaped(block.text)}</code></pre>`;
  }
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0;font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:15rem minmax(0,1fr)}
nav{padding:1rem;font-size:14px;border-right:1px solid #8884;max-height:100vh;overflow:auto;position:sticky;top:0;box-sizing:border-box}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
main{padding:1rem 2rem 4rem;max-width:52rem}
pre{overflow:auto;padding:.8rem;background:#8882;border-radius:6px}
code{font:14px ui-monospace,Menlo,Consolas,monospace}
table{border-collapse:collapse;display:block;overflow:auto}
th,td{border:1px solid #8884;padding:.3rem .6rem;text-align:left;vertical-align:top}
img{max-width:100%}
[aria-current]{font-weight:700}
@media(max-width:48rem){body{display:block}nav{position:static;max-height:none;border:0}}`;

/** Returns a page of the documents with its navigation. `titles` has the title of each page by its path. */
export function htmlPage(
  text: string,
  page: string,
  { groups }: Documents,
  titles: ReadonlyMap<string, string>,
  nonce: string,
): string {
  const navigation = groups.map(({ title, pages }) => {
    const links = pages.map(({ path }) => {
      const current = path === page ? ' aria-current="page"' : '';
      return `<li><a href="/${path}"${current}>${escaped(titles.get(path) ?? path)}</a></li>`;
    });
    return `<strong>${escaped(title)}</strong><ul>${links.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(titles.get(page) ?? page)} · RoboSmith</title><style nonce="${nonce}">${STYLE}</style></head>
<body><nav aria-label="Pages">${navigation.join('')}</nav><main>${blocksOf(text).map(shownBlock).join('\n')}</main></body></html>
`;
}
