import { expect, test } from 'vitest';
import { blocksOf, inlinesOf } from '#cli/docs/markdown.ts';
import { slugOf } from '../../../../docs/.vitepress/slug.ts';
import { terminalPage } from '#cli/docs/terminal-page.ts';
import { createColors } from 'picocolors';

const PAGE = `<!-- Generated. -->

# A \`page\`

Text of
two lines.

- one
- two, which
  goes on
1. first

| key | meaning |
|---|---|
| \`a\\|b\` | [there](../x.md#y) |

\`\`\`sh
robosmith docs   # a comment
\`\`\`
`;

test('a page has headings, paragraphs, lists, tables and code', () => {
  expect(blocksOf(PAGE)).toEqual([
    { kind: 'heading', level: 1, text: 'A `page`' },
    { kind: 'paragraph', text: 'Text of two lines.' },
    {
      kind: 'list',
      items: [
        { marker: '-', text: 'one' },
        { marker: '-', text: 'two, which goes on' },
        { marker: '1.', text: 'first' },
      ],
    },
    { kind: 'table', head: ['key', 'meaning'], rows: [['`a\\|b`', '[there](../x.md#y)']] },
    { kind: 'code', language: 'sh', text: 'robosmith docs   # a comment' },
  ]);
});

test('a code block without an end takes the rest of the page', () => {
  expect(blocksOf('```json\n{}\n')).toEqual([{ kind: 'code', language: 'json', text: '{}\n' }]);
});

test('a line has code, links, pictures and strong text; code is not searched', () => {
  expect(inlinesOf('a `**b**` **c `d`** [e `f`](g.md) ![h](i.svg)')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: '**b**' },
    { kind: 'text', text: ' ' },
    {
      kind: 'strong',
      content: [
        { kind: 'text', text: 'c ' },
        { kind: 'code', text: 'd' },
      ],
    },
    { kind: 'text', text: ' ' },
    {
      kind: 'link',
      href: 'g.md',
      content: [
        { kind: 'text', text: 'e ' },
        { kind: 'code', text: 'f' },
      ],
    },
    { kind: 'text', text: ' ' },
    { kind: 'image', href: 'i.svg', text: 'h' },
  ]);
});

test('a terminal without colours shows the same, with links as names of pages', () => {
  expect(terminalPage(PAGE, 'guides/a', createColors(false), 60)).toBe(`A \`PAGE\`

Text of two lines.

- one
- two, which goes on
1. first

key    meaning
\`a|b\`  there (x)

    robosmith docs   # a comment
`);
});

test('a table that is too wide becomes a list of its rows', () => {
  const table = '| key | value | meaning |\n|---|---|---|\n| `name` | text | what it is called by people |\n';
  expect(terminalPage(table, 'index', createColors(false), 20)).toBe(
    '`name`\n  value: text\n  meaning: what it\n  is called by\n  people\n',
  );
});

test.each([
  ['Internal:Diff', 'internaldiff'],
  ['What a CALL or FORK returned', 'what-a-call-or-fork-returned'],
  ['RS1001 syntax-error', 'rs1001-syntax-error'],
  ['`no_keychain`', 'no_keychain'],
  ["npm, pnpm & Yarn's", 'npm-pnpm--yarns'],
])('the anchor of "%s" is that of GitHub: %s', (heading, slug) => {
  expect(slugOf(heading)).toBe(slug);
});
