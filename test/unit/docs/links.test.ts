import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { slugOf } from '../../../docs/.vitepress/slug.ts';
import contents from '../../../docs/contents.json' with { type: 'json' };
import { PAGES, ROOT, textOf } from '../../docs/pages.ts';

/** Returns the page without its code, in which brackets are not links. */
const proseOf = (page: string): string =>
  textOf(page)
    .replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const linksOf = (page: string): readonly string[] =>
  Array.from(proseOf(page).matchAll(LINK), ([, href = '']) => href).filter((href) => !/^[a-z]+:/.test(href));

/** Returns the anchors of a page: those of its headings, with a number added if a heading occurs again. */
function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const text = textOf(page).replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '');
  const anchors = Array.from(text.matchAll(/^#{1,6} +(.+)$/gm), ([, heading = '']) => {
    const slug = slugOf(heading.replaceAll('`', ''));
    const seen = counts.get(slug) ?? 0;
    counts.set(slug, seen + 1);
    return seen === 0 ? slug : `${slug}-${seen}`;
  });
  return new Set(anchors);
}

/** Returns the problem with a link, or null. */
function problemOf(page: string, href: string): string | null {
  const [file = '', anchor] = href.split('#');
  const target = file === '' ? page : posix.join(posix.dirname(page), file);
  if (!existsSync(join(ROOT, target))) return `${page}: ${href} leads to no file`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  return anchorsOf(target).has(anchor) ? null : `${page}: ${href} leads to no heading`;
}

test('every link leads to a file, and every anchor to a heading', () => {
  const links = PAGES.flatMap((page) => linksOf(page).map((href) => [page, href] as const));
  expect(links.length).toBeGreaterThan(150);
  expect(links.flatMap(([page, href]) => problemOf(page, href) ?? [])).toEqual([]);
});

test('a missing file and a missing heading are found', () => {
  expect(problemOf('docs/guides/runs.md', 'none.md')).toBe('docs/guides/runs.md: none.md leads to no file');
  expect(problemOf('docs/guides/runs.md', 'gates.md#none')).toBe(
    'docs/guides/runs.md: gates.md#none leads to no heading',
  );
});

test('the contents list every page but the start page and the decisions, once', () => {
  const listed = contents.flatMap(({ pages }) => pages.map((page) => `docs/${page}.md`));
  const pages = PAGES.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/decisions/'));
  expect(listed.toSorted()).toEqual(pages.filter((page) => page !== 'docs/index.md'));
});

test('code and schemas cite only documents that exist', () => {
  const files = globSync('{src,scripts,schemas,test,bench,demo,bin}/**/*.{ts,js,mjs,json,md}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'test/samples/**', 'test/unit/docs/**'],
  });
  const cited = files.flatMap((file) =>
    Array.from(
      readFileSync(join(ROOT, file), 'utf8').matchAll(
        /\bdocs\/(?:guides|reference|decisions|cookbook|coming-from)\/[\w/-]+\.md\b/g,
      ),
      ([page]) => [file, page] as const,
    ),
  );
  expect(cited.length).toBeGreaterThan(30);
  expect(cited.filter(([, page]) => !existsSync(join(ROOT, page)))).toEqual([]);
});
