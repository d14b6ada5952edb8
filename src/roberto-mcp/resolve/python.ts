import {
  ancestors,
  folderOf,
  inside,
  joinPath,
  type ProjectFiles,
  remember,
  type ResolveImport,
} from './project-files.ts';

function moduleFile(files: ProjectFiles, path: string): string | null {
  for (const candidate of [`${path}/__init__.py`, `${path}.py`, `${path}/__init__.pyi`, `${path}.pyi`])
    if (files.has(candidate)) return candidate;
  return null;
}

/** Returns the folders from which absolute imports of a file may be resolved, nearest first. */
function sourceRoots(files: ProjectFiles, folder: string): readonly string[] {
  let top = folder;
  while (top !== '' && files.has(inside(top, '__init__.py'))) top = folderOf(top);
  const above = ancestors(top);
  return [...new Set([top, folder, ...above.flatMap((at) => [at, inside(at, 'src'), inside(at, 'lib')])])];
}

const isNamespace = (files: ProjectFiles, path: string): boolean =>
  files.inFolder(path).some((file) => file.endsWith('.py'));

/** Resolves Python imports to modules of the repository. `from a import b` also yields module `a.b` if it exists. */
export function resolvePython(files: ProjectFiles): ResolveImport {
  const rootsOf = remember((folder: string) => sourceRoots(files, folder));
  const withNames = (path: string, names: readonly string[]): readonly string[] => {
    const own = moduleFile(files, path);
    const parts = names.filter((name) => name !== '*').flatMap((name) => moduleFile(files, inside(path, name)) ?? []);
    const found = new Set([...(own === null ? [] : [own]), ...parts]);
    return [...found];
  };
  return (from, module, names) => {
    const dots = /^\.*/u.exec(module)?.[0].length ?? 0;
    const path = module.slice(dots).replaceAll('.', '/');
    if (dots > 0) {
      const folder = joinPath(folderOf(from), '../'.repeat(dots - 1));
      if (folder === null) return [];
      return withNames(path === '' ? folder : inside(folder, path), names);
    }
    if (path === '') return [];
    for (const root of rootsOf(folderOf(from))) {
      const target = inside(root, path);
      const found = withNames(target, names);
      if (found.length > 0) return found;
      if (isNamespace(files, target)) return [];
    }
    return [];
  };
}
