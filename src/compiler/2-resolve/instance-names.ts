import type { JsonObject } from '#protocol/json.ts';
import { isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import { bareWorker, declaredWorker } from './worker-names.ts';
import { declaredIn, namesIn, type NameInText } from './names-in-text.ts';
import { roleAt } from './role.ts';

type Path = readonly (string | number)[];

/** The names of one instance of an imported file. */
export interface InstanceNames {
  /** Returns a string of the file in which names are replaced by those of the instance. */
  text(text: string, path: Path): string;
  /** Returns a key of the file in which names are replaced by those of the instance. */
  key(key: string, path: Path): string;
}

const namesOf = (root: JsonObject, section: string): readonly string[] => Object.keys(readObject(root, section) ?? {});

/** Returns the node that gets the name of the import itself: the entry node, or the only one. */
function mainNode(root: JsonObject): string | null {
  const nodes = namesOf(root, 'nodes');
  const entry = readString(root, 'entry')?.replace(/^Node:/, '') ?? null;
  if (entry !== null) return entry;
  return nodes.length === 1 ? (nodes[0] ?? null) : null;
}

/** Returns the names (`as`) under which a file imports other files. */
const importNames = (root: JsonObject): readonly string[] =>
  (readList(root, 'imports') ?? []).flatMap((one) => (isObject(one) ? (readString(one, 'as') ?? []) : []));

/**
 * Returns a function that maps a name to its name in the instance. Only names of one kind that the file declares, or
 * gets from one of its own named imports, are changed.
 */
function renames(declared: readonly string[], imported: readonly string[], rename: (name: string) => string) {
  const own = new Set(declared);
  const isImported = (name: string): boolean => imported.some((one) => name === one || name.startsWith(`${one}-`));
  return (name: string): string | undefined => (own.has(name) || isImported(name) ? rename(name) : undefined);
}

/**
 * Returns the names of an instance that is imported `as` a name. The main node of the file gets this name. All its
 * other nodes, workers and context slices get the name as a prefix, and so do the names of its own named imports. Names
 * that the file uses but does not declare stay unchanged, and so do commands and pools, which belong to the project.
 */
export function instanceNames(root: JsonObject, as: string): InstanceNames {
  const main = mainNode(root);
  const imported = importNames(root);
  const prefixed = (name: string): string => `${as}-${name}`;
  const worker = renames(namesOf(root, 'workers').map(declaredWorker), imported.map(declaredWorker), (name) =>
    declaredWorker(prefixed(bareWorker(name))),
  );
  // A name keeps its form, with or without its prefix.
  const renameWorker = (name: string): string | undefined => {
    const full = worker(declaredWorker(name));
    return full === undefined || name.startsWith('Worker:') ? full : bareWorker(full);
  };
  const renamed = {
    node: renames(namesOf(root, 'nodes'), imported, (name) => (name === main ? as : prefixed(name))),
    worker: renameWorker,
    slice: renames(namesOf(root, 'context_slices'), imported, prefixed),
  };
  const replace = (text: string, found: readonly NameInText[]): string => {
    let written = text;
    // Names are replaced from the end of the text, so that the offsets of earlier names stay valid.
    for (const { symbol, span } of found.toReversed()) {
      const { kind, name } = symbol;
      const to = kind === 'node' || kind === 'worker' || kind === 'slice' ? renamed[kind](name) : undefined;
      if (to !== undefined) written = written.slice(0, span.from) + to + written.slice(span.to);
    }
    return written;
  };
  return {
    text: (text, path) => {
      if (path[0] === 'imports' && path[2] === 'as') return prefixed(text);
      const role = roleAt(path);
      return role === null ? text : replace(text, namesIn(text, role));
    },
    key: (key, path) => replace(key, declaredIn(key, path)),
  };
}

/** The names of a file that is imported without `as`: all stay unchanged. */
export const SAME_NAMES: InstanceNames = { text: (text) => text, key: (key) => key };
