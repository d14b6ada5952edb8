import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { noticesOf } from './third-party-notices.ts';

/** The files besides the program that every package contains. `robosmith docs` prints the pages in `docs/`. */
const CONTENT = ['LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'schemas'];

const NOTICES = 'THIRD_PARTY_NOTICES.md';

/**
 * Copies the files that every package contains, and those that only this one contains, into a package's folder. Adds the
 * licences of the npm packages to which the bundled files belong.
 */
export function copyContent(folder: string, own: readonly string[], bundled: Iterable<string>): void {
  for (const file of [...CONTENT, ...own.flatMap((pattern) => globSync(pattern))])
    cpSync(file, `${folder}/${file}`, { recursive: true, filter: (one) => !one.includes('.vitepress') });
  writeFileSync(`${folder}/${NOTICES}`, `${readFileSync(NOTICES, 'utf8').trim()}\n\n${noticesOf(bundled)}`);
}
