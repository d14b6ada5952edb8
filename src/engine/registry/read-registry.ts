import path from 'node:path';
import { parseStrictJson, type StrictJson } from '#compiler/index.ts';
import { readSmallFile } from '#io/files/read-small-file.ts';
import { checkPattern } from '#io/files/path-rules.ts';
import { safePath } from '#io/files/safe-path.ts';
import { whyCostly } from '#protocol/costly-glob.ts';
import type { Place } from '#protocol/diagnostic.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { RegistryCode, RegistryProblem } from '#protocol/registry.ts';
import { type Implementation, readEntry } from './read-entry.ts';

export const REGISTRY_FILE = '.flow/flow.registry.json';

const LARGEST = 1_048_576;

/** A line with a valid shape. */
export interface RegistryLine {
  readonly name: string;
  readonly target: string;
  readonly line: number;
  readonly column: number;
  readonly implementation: Implementation;
  /** The absolute real path of the module; null for a built-in worker. */
  readonly module: string | null;
}

type RegistryFile =
  | {
      readonly ok: true;
      /** Whether the file exists. */ readonly written: boolean;
      readonly lines: readonly RegistryLine[];
      /** Globs of files that the modules may load besides those that they name. */
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly problem: RegistryProblem };

export const problemAt = (
  { line, column }: Pick<Place, 'line' | 'column'>,
  code: RegistryCode,
  message: string,
): RegistryProblem => ({
  code,
  message,
  file: REGISTRY_FILE,
  line,
  column,
  next: ['robosmith registry check'],
});

const START = { line: 1, column: 1 };

const CODES: Readonly<Record<string, RegistryCode>> = {
  RS1005: 'registry_duplicate_key',
  RS1006: 'registry_bad_name',
  RS1009: 'registry_not_an_object',
};

type Line = { readonly line: RegistryLine } | { readonly problem: RegistryProblem };

async function readLine(root: string, name: string, value: JsonValue, { placeOf }: StrictJson): Promise<Line> {
  const read = readEntry(name, value);
  if ('code' in read) return { problem: problemAt(placeOf(name, read.side), read.code, `${read.message}.`) };
  const { line, column } = placeOf(name);
  const at = { name, target: typeof value === 'string' ? value : '', line, column, implementation: read };
  if (read.kind === 'builtin') return { line: { ...at, module: null } };
  try {
    return { line: { ...at, module: await safePath(root, read.path) } };
  } catch (thrown) {
    if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
    const message = `The module of "${name}", ${thrown.message}. Name a file below the project's root.`;
    return { problem: problemAt(at, 'registry_unsafe_path', message) };
  }
}

/** The key of the list of files that modules load by computed names. */
const FILES = '$files';

/** Returns a list of globs; null if it is none, or if a glob leads out of the root or is costly to match. */
function readGlobs(value: JsonValue): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const globs = value.filter((one: JsonValue): one is string => typeof one === 'string' && isSafePattern(one));
  return globs.length === value.length ? globs : null;
}

function isSafePattern(glob: string): boolean {
  try {
    checkPattern(glob);
    return whyCostly(glob) === null;
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return false;
    throw thrown;
  }
}

/** Reads the registry below a root; imports and executes nothing. */
export async function readRegistry(root: string): Promise<RegistryFile> {
  const file = await readSmallFile(path.join(root, REGISTRY_FILE), LARGEST);
  if ('missing' in file) return { ok: true, written: false, lines: [], files: [] };
  if ('why' in file) {
    const message = `${REGISTRY_FILE} cannot be read: ${file.why}. Make it a readable file, or remove it.`;
    return { ok: false, problem: problemAt(START, 'registry_unreadable', message) };
  }
  const json = parseStrictJson({ path: REGISTRY_FILE, text: file.text });
  if ('fault' in json) {
    const { code, message, advice } = json.fault;
    return { ok: false, problem: problemAt(json.fault, CODES[code] ?? 'registry_bad_syntax', `${message} ${advice}`) };
  }
  const lines: RegistryLine[] = [];
  const files = readGlobs(json.value[FILES] ?? []);
  if (files === null)
    return {
      ok: false,
      problem: problemAt(
        json.placeOf(FILES, 'value'),
        'registry_bad_value',
        `"${FILES}" is not a list of globs: write paths below the root, as in ["plugins/*.mjs"].`,
      ),
    };
  for (const [name, value] of Object.entries(json.value)) {
    if (name === '$schema' || name === FILES) continue;
    const read = await readLine(root, name, value, json);
    if ('problem' in read) return { ok: false, problem: read.problem };
    lines.push(read.line);
  }
  return { ok: true, written: true, lines, files };
}
