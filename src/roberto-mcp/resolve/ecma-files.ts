import { inside, joinPath, type ProjectFiles } from './project-files.ts';

const SOURCES = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.json', '.mts', '.mjs', '.cts', '.cjs', '.vue', '.svelte'];
/** Source file extensions to try for an import with a JavaScript extension, in the order of TypeScript's resolver. */
const STANDS_FOR: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.js', '.jsx'],
  '.jsx': ['.tsx', '.ts', '.d.ts', '.jsx'],
  '.mjs': ['.mts', '.d.mts', '.mjs'],
  '.cjs': ['.cts', '.d.cts', '.cjs'],
};

function asFile(files: ProjectFiles, path: string): string | null {
  const extension = /\.[cm]?jsx?$/u.exec(path)?.[0];
  if (extension !== undefined) {
    const stem = path.slice(0, -extension.length);
    for (const other of STANDS_FOR[extension] ?? []) if (files.has(stem + other)) return stem + other;
  }
  for (const source of SOURCES) if (files.has(path + source)) return path + source;
  return files.has(path) ? path : null;
}

/**
 * Resolves a path to a file: by adding a source extension, by the folder's `package.json`, or as the folder's index
 * file.
 */
export function resolveFile(
  files: ProjectFiles,
  path: string,
  folderEntry: (folder: string) => string | null,
): string | null {
  if (path === '') return asFile(files, 'index');
  return asFile(files, path) ?? folderEntry(path) ?? asFile(files, inside(path, 'index'));
}

/**
 * Resolves a path that a package's `package.json` names. If it is a build output, returns the source file that it is
 * built from, if that can be found.
 */
export function resolveTarget(files: ProjectFiles, folder: string, target: string): string | null {
  const path = joinPath(folder, target);
  if (path === null) return null;
  const found = asFile(files, path);
  if (found !== null) return found;
  const relative = path.slice(folder === '' ? 0 : folder.length + 1);
  const source = relative.replace(/^(?:dist|build|lib|out)\/(?:(?:esm|cjs|types)\/)?/u, 'src/');
  if (source === relative) return null;
  return asFile(files, inside(folder, source.replace(/\.d\.([cm]?)ts$/u, '.$1js')));
}
