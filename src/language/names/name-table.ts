import { declaredWorker } from '#compiler/index.ts';
import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { ManifestDocument } from '../text/document.ts';
import { blockFamilies, type BlockFamilies } from './block-families.ts';
import { keyOf, type Occurrence, type Symbol } from './collect-occurrences.ts';

/** The symbol table of a manifest and its imports. */
export interface NameTable {
  readonly families: BlockFamilies;
  /** Returns the symbol name at an offset of a file, or null if there is none. */
  at(file: string, offset: number): Occurrence | null;
  /** Returns every place where a symbol is written, declarations first. */
  places(symbol: Symbol): readonly Occurrence[];
  /**
   * Returns the distinct names of all declared symbols of a kind. Signals have no declarations, so for them the used
   * names are returned.
   */
  names(kind: Symbol['kind']): readonly string[];
}

/**
 * Returns a function that gives the worker of an occurrence its full name, if it is declared or built in. Other names
 * belong to the registry, or are not known.
 */
function fullWorkers(found: ReadonlyMap<string, readonly Occurrence[]>): (one: Occurrence) => Occurrence {
  const declared = new Set<string>();
  for (const { symbol, isDeclaration } of [...found.values()].flat())
    if (symbol.kind === 'worker' && isDeclaration) declared.add(declaredWorker(symbol.name));
  return (one) => {
    const { symbol, isDeclaration } = one;
    if (symbol.kind !== 'worker' || symbol.name.includes(':')) return one;
    const full = declaredWorker(symbol.name);
    const builtIn = BUILT_IN_WORKER_NAMES.find((name) => name === `Internal:${symbol.name}`);
    const name = isDeclaration || declared.has(full) ? full : (builtIn ?? symbol.name);
    return { ...one, symbol: { kind: 'worker', name } };
  };
}

/** Builds the symbol table from the occurrences that were collected from each file. */
export function nameTable(
  documents: readonly ManifestDocument[],
  found: ReadonlyMap<string, readonly Occurrence[]>,
): NameTable {
  const families = blockFamilies(documents);
  const workers = fullWorkers(found);
  const occurrences = new Map([...found].map(([file, all]) => [file, all.map(workers)]));
  const identity = (symbol: Symbol): string =>
    symbol.kind === 'block' ? `block\n${families.familyOf(symbol.node, symbol.name)}` : keyOf(symbol);
  const byIdentity = new Map<string, Occurrence[]>();
  for (const all of occurrences.values())
    for (const one of all) {
      const key = identity(one.symbol);
      const places = byIdentity.get(key);
      if (places === undefined) byIdentity.set(key, [one]);
      else places.push(one);
    }
  return {
    families,
    at: (file, offset) => {
      const here = (occurrences.get(file) ?? []).filter(({ span }) => span.from <= offset && offset <= span.to);
      return here.at(-1) ?? null;
    },
    places: (symbol) => {
      const places = byIdentity.get(identity(symbol)) ?? [];
      return [...places.filter((one) => one.isDeclaration), ...places.filter((one) => !one.isDeclaration)];
    },
    names: (kind) => {
      const all = [...occurrences.values()].flat();
      const meant = all.filter((one) => one.symbol.kind === kind && (one.isDeclaration || kind === 'signal'));
      return [...new Set(meant.map(({ symbol }) => symbol.name))];
    },
  };
}
