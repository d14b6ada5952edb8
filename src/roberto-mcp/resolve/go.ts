import { folderOf, inside, type ProjectFiles, type ResolveImport } from './project-files.ts';

interface GoModule {
  readonly name: string;
  readonly folder: string;
}

function readModules(files: ProjectFiles): readonly GoModule[] {
  return files
    .named('go.mod')
    .flatMap((path) => {
      const name = /^module\s+(\S+)/mu.exec(files.read(path) ?? '')?.[1];
      return name === undefined ? [] : [{ name, folder: folderOf(path) }];
    })
    .sort((a, b) => b.name.length - a.name.length);
}

/** Resolves Go imports to all files of the package's folder, except tests. */
export function resolveGo(files: ProjectFiles): ResolveImport {
  const modules = readModules(files);
  return (_, module) => {
    const owner = modules.find(({ name }) => module === name || module.startsWith(`${name}/`));
    if (owner === undefined) return [];
    const rest = module.slice(owner.name.length + 1);
    const folder = rest === '' ? owner.folder : inside(owner.folder, rest);
    return files.inFolder(folder).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
  };
}
