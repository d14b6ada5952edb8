import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';

/** A page of the documents. */
export interface DocPage {
  /** The path below the folder of the documents, with `/` and without the file extension. */
  readonly path: string;
  /** The name that a user types: the last part of the path if it is unique, otherwise the whole path. */
  readonly name: string;
}

export interface DocGroup {
  readonly title: string;
  readonly pages: readonly DocPage[];
}

export interface Documents {
  readonly folder: string;
  /** The table of contents. */
  readonly groups: readonly DocGroup[];
  /** All pages, also those that the table of contents leaves out. */
  readonly pages: readonly DocPage[];
}

const CONTENTS = 'contents.json';

/** Returns the folder of the documents, which is beside the built program or in the repository. */
function findFolder(): string {
  const folders = ['../../docs', '../../../docs'].map((folder) => path.resolve(import.meta.dirname, folder));
  const found = folders.find((folder) => existsSync(path.join(folder, CONTENTS)));
  if (found === undefined) throw new RoboSmithError('io', 'The documents are not part of this installation.');
  return found;
}

const shortOf = (page: string): string => path.posix.basename(page.replace(/\/index$/, ''));

function namedPages(paths: readonly string[]): readonly DocPage[] {
  const counts = new Map<string, number>();
  for (const one of paths) counts.set(shortOf(one), (counts.get(shortOf(one)) ?? 0) + 1);
  return paths.map((one) => ({ path: one, name: counts.get(shortOf(one)) === 1 ? shortOf(one) : one }));
}

/** Finds the documents of this installation. Throws `io` if there are none. */
export async function openDocuments(): Promise<Documents> {
  const folder = findFolder();
  const files = await readdir(folder, { recursive: true });
  const paths = files
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith('.'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort();
  const pages = namedPages(paths);
  const written = JSON.parse(await readFile(path.join(folder, CONTENTS), 'utf8')) as readonly {
    readonly text: string;
    readonly pages: readonly string[];
  }[];
  const groups = written.map(({ text, pages: listed }) => ({
    title: text,
    pages: listed.flatMap((one) => pages.filter((page) => page.path === one)),
  }));
  return { folder, groups, pages };
}

export const readPage = ({ folder }: Documents, { path: name }: DocPage): Promise<string> =>
  readFile(path.join(folder, `${name}.md`), 'utf8');

/** Returns the title of a page: its first heading. */
export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';

/** Finds a page by its path, its name or the last part of its path. Throws `usage`. */
export function findPage({ pages }: Documents, typed: string): DocPage {
  const wanted = typed.replace(/^docs\//, '').replace(/\.md$/, '');
  const exact = pages.find(({ path: one, name }) => one === wanted || one === `${wanted}/index` || name === wanted);
  if (exact !== undefined) return exact;
  const alike = pages.filter(({ path: one }) => shortOf(one) === wanted);
  if (alike.length > 0)
    throw usageError(
      `Several pages are called "${typed}".`,
      alike.map(({ path: one }) => `robosmith docs ${one}`),
    );
  const hint = didYouMean(
    wanted,
    pages.map(({ name }) => name),
  );
  throw usageError(`There is no page "${typed}".${hint}`, ['robosmith docs']);
}
