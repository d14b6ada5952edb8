import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import contents from '../contents.json' with { type: 'json' };
import { slugOf } from './slug.ts';

const DOCS = join(import.meta.dirname, '..');
const ROOT = join(DOCS, '..');

/** Files of the repository that pages refer to; the site serves them as they are. */
const SERVED = ['SECURITY.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'schemas/*', 'src/protocol/*.ts'];

const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1]?.replaceAll('`', '') ?? page;

const linkTo = (page: string): string => `/${page.replace(/\bindex$/, '')}`;

const decisions = globSync('decisions/*.md', { cwd: DOCS })
  .map((file) => file.replaceAll('\\', '/').replace(/\.md$/, ''))
  .sort();

const groups = [...contents, { text: 'Decisions', pages: decisions }];

interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** Returns the path in the repository that a link of a page leads to, or null if it stays inside of `docs/`. */
function outside(page: string, href: string): string | null {
  if (!href.startsWith('../')) return null;
  const { pathname } = new URL(href, `file:///docs/${page}`);
  return pathname.startsWith('/docs/') ? null : pathname;
}

/** Makes links to other files of the repository lead to the copies that the site serves. */
function linkOutside(page: string, tokens: readonly Token[]): void {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type !== 'link_open') continue;
    const served = outside(page, token.attrGet('href') ?? '');
    if (served === null) continue;
    token.attrSet('href', served);
    // VitePress checks and rewrites only links without a target.
    token.attrSet('target', '_self');
  }
}

/** Keeps Vue from evaluating `{{name}}` in inline code. VitePress does so for blocks of code only. */
function keepBraces(tokens: readonly Token[]): void {
  for (const token of tokens.flatMap(({ children }) => children ?? []))
    if (token.type === 'code_inline') token.attrSet('v-pre', '');
}

export default defineConfig({
  title: 'RoboSmith',
  description: 'Runs AI-coding work from a declarative manifest.',
  lang: 'en',
  outDir: join(ROOT, 'dist/docs'),
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    // Pages contain no HTML but a comment at the top; `<file>` is text.
    html: false,
    anchor: { slugify: slugOf },
    config: (md) => {
      md.core.ruler.before('normalize', 'comment', (state) => {
        state.src = state.src.replace(/^<!--.*-->\n/, '');
      });
      md.core.ruler.push('links-outside', (state) => {
        const { relativePath = '' } = state.env as { readonly relativePath?: string };
        linkOutside(relativePath, state.tokens);
        keepBraces(state.tokens);
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Cookbook', link: '/cookbook/' },
      { text: 'Reference', link: '/reference/command-line' },
    ],
    sidebar: groups.map(({ text, pages }) => ({
      text,
      collapsed: text === 'Decisions' || text === 'Reference',
      items: pages.map((page) => ({ text: titleOf(page), link: linkTo(page) })),
    })),
  },
  buildEnd: ({ outDir }) => {
    for (const file of globSync(SERVED, { cwd: ROOT })) cpSync(join(ROOT, file), join(outDir, file));
  },
});
