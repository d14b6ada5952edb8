import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fence, fencesOf } from '../../scripts/docs/read-page.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** All documentation pages, as paths relative to the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/.vitepress/**'] }).sort(),
].map((page) => page.replaceAll('\\', '/'));

export const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** A fenced block, identified by its page and line. */
export interface Snippet extends Fence {
  readonly page: string;
  readonly name: string;
}

const snippetsOf = (page: string): readonly Snippet[] =>
  fencesOf(textOf(page)).map((fence) => ({ ...fence, page, name: `${page}:${fence.line}` }));

export const SNIPPETS: readonly Snippet[] = PAGES.flatMap(snippetsOf);
