import { ancestors, folderOf, inside, joinPath, type ProjectFiles, remember } from './project-files.ts';
import { isRecord, type JsonRecord, readJson, stringOf } from './read-json.ts';

/** The settings of a `tsconfig.json` that affect import resolution. */
export interface PathsConfig {
  readonly baseUrl: string | null;
  /** The folder that `paths` entries are relative to. */
  readonly pathsFolder: string;
  readonly paths: JsonRecord;
}

const MAX_EXTENDS = 10;

function extendedBy(files: ProjectFiles, folder: string, config: JsonRecord, depth: number): PathsConfig | null {
  const extended = Array.isArray(config['extends'])
    ? [...(config['extends'] as unknown[])].reverse()
    : [config['extends']];
  for (const value of extended) {
    const name = stringOf(value);
    if (name === null || !name.startsWith('.')) continue;
    const path = joinPath(folder, name);
    if (path === null) continue;
    const found = readConfig(files, files.has(path) ? path : `${path}.json`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function readConfig(files: ProjectFiles, path: string, depth = 0): PathsConfig | null {
  const config = depth > MAX_EXTENDS ? null : readJson(files.read(path));
  if (config === null) return null;
  const folder = folderOf(path);
  const inherited = extendedBy(files, folder, config, depth);
  const options = isRecord(config['compilerOptions']) ? config['compilerOptions'] : {};
  const ownBase = stringOf(options['baseUrl']);
  const baseUrl = ownBase === null ? (inherited?.baseUrl ?? null) : joinPath(folder, ownBase);
  if (isRecord(options['paths'])) return { baseUrl, pathsFolder: baseUrl ?? folder, paths: options['paths'] };
  return { baseUrl, pathsFolder: inherited?.pathsFolder ?? baseUrl ?? folder, paths: inherited?.paths ?? {} };
}

/**
 * Returns a function that finds the configuration of a file: the nearest `tsconfig.json` or `jsconfig.json` above it.
 */
export function readPathsConfigs(files: ProjectFiles): (from: string) => PathsConfig | null {
  const inFolder = remember((folder: string): PathsConfig | null => {
    for (const at of ancestors(folder))
      for (const name of ['tsconfig.json', 'jsconfig.json'])
        if (files.has(inside(at, name))) return readConfig(files, inside(at, name));
    return null;
  });
  return (from) => inFolder(folderOf(from));
}
