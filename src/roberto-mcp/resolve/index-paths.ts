import { baseName, folderOf, type ProjectFiles } from './project-files.ts';

/** Creates an index of paths by file name and by folder. `read` returns the text of a file, or null. */
export function indexPaths(paths: Iterable<string>, read: (path: string) => string | null): ProjectFiles {
  const all = new Set<string>();
  const byName = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, path: string): void => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [path]);
    else list.push(path);
  };
  for (const path of [...paths].sort()) {
    all.add(path);
    add(byName, baseName(path), path);
    add(byFolder, folderOf(path), path);
  }
  const folders = new Map<string, string[]>();
  for (const folder of byFolder.keys()) add(folders, baseName(folder), folder);
  return {
    has: (path) => all.has(path),
    named: (name) => byName.get(name) ?? [],
    inFolder: (folder) => byFolder.get(folder) ?? [],
    foldersNamed: (name) => folders.get(name) ?? [],
    read: (path) => (all.has(path) ? read(path) : null),
  };
}
