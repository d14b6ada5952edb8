import { type ParseError, parse } from 'jsonc-parser';
import { isObject } from '#protocol/json.ts';
import { ancestors, folderOf, inside, joinPath, type ProjectFiles, remember } from './project-files.ts';

/** An object from a configuration file. The types of its values have not been checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Parses JSON with comments and trailing commas. Returns null if the text is missing or is not an object. */
export function readJson(text: string | null): JsonRecord | null {
  if (text === null) return null;
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  return isObject(value) ? value : null;
}

export const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

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
  const options = isObject(config['compilerOptions']) ? config['compilerOptions'] : {};
  const ownBase = stringOf(options['baseUrl']);
  const baseUrl = ownBase === null ? (inherited?.baseUrl ?? null) : joinPath(folder, ownBase);
  if (isObject(options['paths'])) return { baseUrl, pathsFolder: baseUrl ?? folder, paths: options['paths'] };
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
