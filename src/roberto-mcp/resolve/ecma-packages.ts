import { isObject } from '#protocol/json.ts';
import { resolveTarget } from './ecma-files.ts';
import { ancestors, folderOf, inside, type ProjectFiles, remember } from './project-files.ts';
import { type JsonRecord, readJson, stringOf } from './ecma-config.ts';

/** A package whose `package.json` is in the repository. */
interface LocalPackage {
  readonly folder: string;
  readonly manifest: JsonRecord;
}

/** The export conditions (of Node and of bundlers) that are accepted. */
const CONDITIONS = ['types', 'source', 'import', 'module', 'node', 'require', 'browser', 'development', 'default'];
const MAX_DEPTH = 8;

function targets(value: unknown, depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item) => targets(item, depth + 1));
  if (!isObject(value)) return [];
  return Object.keys(value)
    .filter((key) => CONDITIONS.includes(key))
    .flatMap((key) => targets(value[key], depth + 1));
}

/**
 * Resolves a key in the `exports` or `imports` map of a `package.json`, replacing `*`. Returns the candidate targets.
 */
export function mapped(map: JsonRecord, key: string): readonly string[] {
  if (Object.hasOwn(map, key)) return targets(map[key]);
  let best: { readonly pattern: string; readonly rest: string } | null = null;
  for (const pattern of Object.keys(map)) {
    const star = pattern.indexOf('*');
    if (star < 0) continue;
    const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
    if (!key.startsWith(head) || !key.endsWith(tail) || key.length < head.length + tail.length) continue;
    if (best !== null && best.pattern.indexOf('*') >= star) continue;
    best = { pattern, rest: key.slice(star, key.length - tail.length) };
  }
  const found = best;
  return found === null ? [] : targets(map[found.pattern]).map((target) => target.replaceAll('*', found.rest));
}

const exportsMap = (value: unknown): JsonRecord | null => {
  if (value === undefined || value === null) return null;
  if (isObject(value) && Object.keys(value).every((key) => key.startsWith('.'))) return value;
  return { '.': value };
};

function entryOf(files: ProjectFiles, { folder, manifest }: LocalPackage): string | null {
  for (const field of ['types', 'typings', 'source', 'module', 'main']) {
    const target = stringOf(manifest[field]);
    const found =
      target === null
        ? null
        : (resolveTarget(files, folder, target) ?? resolveTarget(files, folder, `${target}/index`));
    if (found !== null) return found;
  }
  return resolveTarget(files, folder, 'index') ?? resolveTarget(files, folder, 'src/index');
}

function subpathOf(files: ProjectFiles, local: LocalPackage, subpath: string): string | null {
  const map = exportsMap(local.manifest['exports']);
  if (map !== null) {
    for (const target of mapped(map, subpath === '' ? '.' : `./${subpath}`)) {
      const found = resolveTarget(files, local.folder, target);
      if (found !== null) return found;
    }
    return null;
  }
  if (subpath === '') return entryOf(files, local);
  return (
    resolveTarget(files, local.folder, subpath) ??
    resolveTarget(files, local.folder, `${subpath}/index`) ??
    resolveTarget(files, local.folder, `src/${subpath}`)
  );
}

interface EcmaPackages {
  /** Resolves `name` or `name/sub` to a file of a package in this repository, or null. */
  readonly resolve: (module: string) => string | null;
  /** Resolves `#name` by the `imports` map of the nearest `package.json`, or null. */
  readonly resolvePrivate: (from: string, module: string) => string | null;
  /** Returns the entry file of a folder that has a `package.json`, or null. */
  readonly folderEntry: (folder: string) => string | null;
}

export function readPackages(files: ProjectFiles): EcmaPackages {
  const manifestIn = remember((folder: string): LocalPackage | null => {
    const manifest = readJson(files.read(inside(folder, 'package.json')));
    return manifest === null ? null : { folder, manifest };
  });
  const byName = new Map<string, LocalPackage>();
  for (const path of files.named('package.json')) {
    const local = manifestIn(folderOf(path));
    const name = local === null ? null : stringOf(local.manifest['name']);
    if (local !== null && name !== null && !byName.has(name)) byName.set(name, local);
  }
  return {
    resolve: (module) => {
      const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/');
      const local = byName.get(name);
      return local === undefined ? null : subpathOf(files, local, module.slice(name.length + 1));
    },
    resolvePrivate: (from, module) => {
      const local =
        ancestors(folderOf(from))
          .map(manifestIn)
          .find((found) => found !== null) ?? null;
      const imports = local?.manifest['imports'];
      if (local === null || !isObject(imports)) return null;
      for (const target of mapped(imports, module)) {
        const found = resolveTarget(files, local.folder, target);
        if (found !== null) return found;
      }
      return null;
    },
    folderEntry: (folder) => {
      const local = manifestIn(folder);
      return local === null ? null : entryOf(files, local);
    },
  };
}
