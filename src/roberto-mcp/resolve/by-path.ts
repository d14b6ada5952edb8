import { baseName, folderOf, inside, joinPath, type ProjectFiles, type ResolveImport } from './project-files.ts';

/** Returns the file whose path ends with the given path, or null if there is none or more than one. */
function onlyEnding(files: ProjectFiles, path: string): string | null {
  const found = files.named(baseName(path)).filter((file) => file === path || file.endsWith(`/${path}`));
  return found.length === 1 ? (found[0] ?? null) : null;
}

const list = (path: string | null): readonly string[] => (path === null ? [] : [path]);

/**
 * Resolves C and C++ `#include` paths: relative to the file, then in a sibling `include` folder, then as the ending of
 * exactly one path.
 */
export const resolveInclude =
  (files: ProjectFiles): ResolveImport =>
  (from, module) => {
    const isSystem = module.startsWith('<');
    const path = isSystem ? module.slice(1, -1) : module;
    const beside = isSystem ? null : joinPath(folderOf(from), path);
    if (beside !== null && files.has(beside)) return [beside];
    const above = folderOf(from) === '' ? [] : [joinPath(folderOf(from), `../include/${path}`)];
    const included = above.find((candidate) => candidate !== null && files.has(candidate)) ?? null;
    return list(included ?? onlyEnding(files, path.replace(/^(?:\.\.?\/)+/u, '')));
  };

/** Resolves module paths relative to the importing file, then relative to the root, with the given file extensions. */
export const resolveRelative =
  (files: ProjectFiles, extensions: readonly string[]): ResolveImport =>
  (from, module) => {
    const clean = module.replace(/^["']|["']$/gu, '');
    if (/^[a-z]+:\/\//u.test(clean)) return [];
    for (const base of [joinPath(folderOf(from), clean), joinPath('', clean)])
      for (const extension of ['', ...extensions])
        if (base !== null && files.has(base + extension)) return [base + extension];
    return [];
  };

/** Resolves Ruby `require`: relative to the file, or in a `lib` or `app` folder or the root. */
export const resolveRuby = (files: ProjectFiles): ResolveImport => {
  const relative = resolveRelative(files, ['.rb']);
  return (from, module) => {
    if (module.startsWith('.')) return relative(from, module, []);
    for (const folder of ['lib', '', 'app'])
      if (files.has(`${inside(folder, module)}.rb`)) return [`${inside(folder, module)}.rb`];
    return list(onlyEnding(files, `lib/${module}.rb`));
  };
};

/** Resolves Lua `require 'a.b'` to `a/b.lua` or `a/b/init.lua`. */
export const resolveLua =
  (files: ProjectFiles): ResolveImport =>
  (_, module) => {
    const path = module.replaceAll('.', '/');
    return list(onlyEnding(files, `${path}.lua`) ?? onlyEnding(files, `${path}/init.lua`));
  };

/**
 * Resolves PHP class names by matching the ends of paths (PSR-4 layout), and quoted file paths relative to the file.
 */
export const resolvePhp = (files: ProjectFiles): ResolveImport => {
  const relative = resolveRelative(files, ['.php']);
  return (from, module) => {
    if (/\.(?:php|inc)$/u.test(module)) return relative(from, module.replace(/^\//u, ''), []);
    const parts = module.split('\\').filter((part) => part !== '');
    for (let drop = 0; drop < parts.length; drop += 1) {
      const found = onlyEnding(files, `${parts.slice(drop).join('/')}.php`);
      if (found !== null) return [found];
    }
    return [];
  };
};
