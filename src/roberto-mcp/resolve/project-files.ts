/** The files that imports may resolve to, and the text of configuration files among them. */
export interface ProjectFiles {
  readonly has: (path: string) => boolean;
  /** Paths whose last segment is this name. */
  readonly named: (name: string) => readonly string[];
  /** Files directly in a folder. */
  readonly inFolder: (folder: string) => readonly string[];
  /** Folders with files whose last segment is this name. */
  readonly foldersNamed: (name: string) => readonly string[];
  readonly read: (path: string) => string | null;
}

/** Resolves one import of a file to the files it stands for; an empty list is a package from outside, or unknown. */
export type ResolveImport = (from: string, module: string, names: readonly string[]) => readonly string[];

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const inside = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Joins and normalises paths; returns null for one that leaves the root. */
export function joinPath(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** The folders from the given one up to the root, nearest first. */
export function ancestors(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== '';) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}

/** Remembers what a function returns for each key. */
export function remember<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (known.has(key)) return known.get(key) as T;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
