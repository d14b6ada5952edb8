import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Edit operations that form one transaction over three files, one of which is new. */
export const OPERATIONS = JSON.stringify([
  { op: 'insert', path: 'a.txt', anchor: 'one', content: 'one and a half' },
  { op: 'replaceLine', path: 'sub/b.txt', line: 2, content: 'TWO', expected: 'two' },
  { op: 'append', path: 'new/deep/c.txt', content: 'three\n' },
]);

export type Tree = Readonly<Record<string, string>>;

export const BEFORE: Tree = { 'a.txt': 'one\r\ntwo\r\n', 'sub/b.txt': 'one\ntwo' };
export const AFTER: Tree = {
  'a.txt': 'one\r\none and a half\r\ntwo\r\n',
  'sub/b.txt': 'one\nTWO',
  'new/deep/c.txt': 'three\n',
};

export async function makeTree(folder: string, tree: Tree): Promise<void> {
  for (const [name, content] of Object.entries(tree)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

/** Reads all files and folders below a folder; the names of folders end with a slash. */
export async function readTree(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(folder, file).split(path.sep).join('/');
      return entry.isDirectory() ? ([`${name}/`, ''] as const) : ([name, await readFile(file, 'utf8')] as const);
    }),
  );
  return Object.fromEntries(found.sort(([left], [right]) => (left < right ? -1 : 1)));
}
