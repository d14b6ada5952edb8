/** The files of a worktree that imports can resolve to, and access to its configuration files. */
export interface ProjectFiles {
  readonly has: (path: string) => boolean;
  /** Returns the paths whose last segment is the given name. */
  readonly named: (name: string) => readonly string[];
  /** Returns the files directly in a folder. */
  readonly inFolder: (folder: string) => readonly string[];
  /** Returns the folders that contain files and whose last segment is the given name. */
  readonly foldersNamed: (name: string) => readonly string[];
  readonly read: (path: string) => string | null;
}

/** Resolves one import to the files that it refers to. The list is empty for external packages and unknown modules. */
export type ResolveImport = (from: string, module: string, names: readonly string[]) => readonly string[];

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const inside = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Joins and normalises paths. Returns null if the result is outside the root. */
export function joinPath(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** Returns the given folder and its parent folders up to the root, nearest first. */
export function ancestors(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== '';) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}

/** Memoizes a function with one parameter. */
export function remember<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (known.has(key)) return known.get(key) as T;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
