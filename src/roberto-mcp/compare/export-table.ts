import type { LanguageName } from '../parse/languages.ts';
import type { FileVersion } from './read-version.ts';

const ECMASCRIPT = new Set<LanguageName>(['javascript', 'svelte', 'tsx', 'typescript', 'vue']);

/** One name that a file exports, and the symbol of the file behind it. */
interface TableEntry {
  readonly row: number;
  /** The name of the symbol in this file; null if it comes from another file or has no name of its own. */
  readonly local: string | null;
}

/** The names that other files can import from one file. */
export interface ExportTable {
  readonly names: ReadonlyMap<string, TableEntry>;
  /** The modules whose exports the file exports as its own. */
  readonly stars: ReadonlySet<string>;
}

/** Returns the row on which an export statement writes the name, or 0 if the name is written nowhere. */
function rowOf(version: FileVersion, name: string, local: string | null): number {
  for (const written of [name, local ?? name]) {
    const rows = version.extraction.references.get(written);
    const last = rows?.at(-2);
    if (last !== undefined) return last;
  }
  return 0;
}

/** Returns what a JavaScript or TypeScript file exports, or null for other languages. */
export function readExportTable(version: FileVersion | undefined): ExportTable | null {
  if (version === undefined || !ECMASCRIPT.has(version.language)) return null;
  const { definitions, exports, imports } = version.extraction;
  const names = new Map<string, TableEntry>();
  const stars = new Set<string>();
  for (const { name, local, from } of exports) {
    if (name === '*') stars.add(from ?? '');
    else if (!names.has(name)) {
      const own = from === null && local !== '' ? local : null;
      names.set(name, { local: own, row: rowOf(version, name, own) });
    }
  }
  for (const { reexport, module, names: taken, row } of imports) {
    if (!reexport) continue;
    for (const { alias } of taken)
      if (alias === '*') stars.add(module);
      else if (alias !== 'default' && !names.has(alias)) names.set(alias, { local: null, row });
  }
  const listed = new Set(exports.filter(({ from }) => from === null).map(({ local }) => local));
  for (const { name, parent, exported, signature, row } of definitions) {
    if (parent !== -1 || !exported || (listed.has(name) && !/^export\b/u.test(signature))) continue;
    const own = /^export\s+default\b/u.test(signature) ? 'default' : name;
    if (!names.has(own)) names.set(own, { local: name, row });
  }
  return { names, stars };
}

/** Returns the names under which a file exports the symbol that it calls `local`. */
export function exposedNames(table: ExportTable | null, local: string): readonly string[] {
  if (table === null) return [local];
  return [...table.names].filter(([, entry]) => entry.local === local).map(([name]) => name);
}
