import { readPathsConfigs, type PathsConfig } from './ecma-config.ts';
import { resolveFile } from './ecma-files.ts';
import { mapped, readPackages } from './ecma-packages.ts';
import { folderOf, joinPath, type ProjectFiles, type ResolveImport } from './project-files.ts';

/** Returns the candidate targets for a module according to the `paths` of a `tsconfig.json`, in order. */
const alternatives = (config: PathsConfig, module: string): readonly string[] => mapped(config.paths, module);

/**
 * Resolves TypeScript and JavaScript imports: relative paths, `paths` and `baseUrl` of `tsconfig.json`, `imports` and
 * packages of the repository.
 */
export function resolveEcma(files: ProjectFiles): ResolveImport {
  const packages = readPackages(files);
  const configOf = readPathsConfigs(files);
  const at = (folder: string, module: string): string | null => {
    const path = joinPath(folder, module);
    return path === null ? null : resolveFile(files, path, packages.folderEntry);
  };
  const byConfig = (from: string, module: string): string | null => {
    const config = configOf(from);
    if (config === null) return null;
    for (const target of alternatives(config, module)) {
      const found = at(config.pathsFolder, target);
      if (found !== null) return found;
    }
    return config.baseUrl === null ? null : at(config.baseUrl, module);
  };
  return (from, written) => {
    const module = written.replace(/[?].*$/u, '');
    if (module === '' || module.startsWith('/') || /^[a-z]+:/u.test(module)) return [];
    const found = /^\.{1,2}(?:\/|$)/u.test(module)
      ? at(folderOf(from), module)
      : (byConfig(from, module) ??
        (module.startsWith('#') ? packages.resolvePrivate(from, module) : packages.resolve(module)));
    return found === null ? [] : [found];
  };
}
