import type { Definition, SymbolKind } from '../parse/extraction.ts';
import type { FileChange } from './commit-files.ts';
import { type ExportTable, exposedNames, readExportTable } from './export-table.ts';
import { CALLABLE, judgeSymbol, squeeze, TYPES } from './judge-symbol.ts';
import { bodyOf, type FileVersion, fullName, type PlacedDefinition } from './read-version.ts';
import { readSignature } from './signature.ts';
import type { Judgement, SymbolChange } from './symbol-change.ts';

/** A file before and after the changes of a branch. */
interface Versions {
  readonly before: FileVersion;
  readonly after: FileVersion | undefined;
  readonly change: FileChange;
  /** Other changed files of the branch in the same namespace as this file, such as the files of a Go package. */
  readonly sharing: readonly FileVersion[];
}

const IGNORED: ReadonlySet<SymbolKind> = new Set<SymbolKind>(['impl', 'prototype']);
const CONSTRUCTORS = new Set(['__construct', '__init__', 'constructor']);

function similar(a: string, b: string): boolean {
  const words = (text: string): Set<string> => new Set(text.match(/[\w$]+/gu) ?? []);
  const [left, right] = [words(a), words(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / Math.max(1, Math.max(left.size, right.size)) >= 0.6;
}

type ByName = ReadonlyMap<string, Definition>;

const byFullName = (version: FileVersion | undefined): ByName =>
  new Map(
    (version?.extraction.definitions ?? [])
      .filter(({ kind }) => !IGNORED.has(kind))
      .map((one) => [fullName(version as FileVersion, one), one]),
  );

const containerOf = (full: string): string | null => (full.includes('.') ? full.slice(0, full.lastIndexOf('.')) : null);

/** Returns true if a file imports a name from another file and re-exports it. */
function handsOn(after: FileVersion | undefined, name: string): boolean {
  if (after === undefined) return false;
  const { exports, imports } = after.extraction;
  if (exports.some((one) => one.name === name && (one.from !== null || one.local === name))) return true;
  return imports.some(
    (entry) =>
      (entry.reexport || after.language === 'python') &&
      entry.names.some(({ alias, name: own }) => alias === name && !/^self::/u.test(entry.module) && own !== '*'),
  );
}

/** True if a name may still be exported, by a module that the branch now re-exports as a whole. */
const hasNewStar = ({ oldExports, newExports }: Compared): boolean =>
  [...(newExports?.stars ?? [])].some((star) => oldExports?.stars.has(star) !== true);

/**
 * Returns the name that the given name is an alias of: `const old = now`, `type Old = Now`, `pub use self::now as old`.
 */
function aliasTarget(after: FileVersion, news: ByName, name: string): string | null {
  const definition = news.get(name);
  const written =
    definition === undefined
      ? (after.extraction.exports.find((one) => one.name === name && one.from === null)?.local ??
        after.extraction.imports
          .filter(({ reexport, module }) => reexport && module.startsWith('self::'))
          .flatMap(({ names }) => names)
          .find(({ alias }) => alias === name)?.name)
      : /(?<![=!<>])=\s*([\w$]+)\s*;?\s*$/u.exec(bodyOf(after, definition))?.[1];
  return written !== undefined && written !== name && news.has(written) ? written : null;
}

/** A judgement with the place of the changed symbol, or null if the symbol is gone. */
type Placed = Judgement & { readonly place: PlacedDefinition | null };

interface Compared {
  readonly versions: Versions;
  readonly olds: ByName;
  readonly news: ByName;
  readonly oldExports: ExportTable | null;
  readonly newExports: ExportTable | null;
}

/** Finds the current version of an old symbol: the symbol itself, or the one that its name is now an alias of. */
function findNow({ versions: { after, sharing }, news }: Compared, full: string): PlacedDefinition | null {
  if (after === undefined) return null;
  const container = containerOf(full);
  const at = (name: string): PlacedDefinition | null => {
    const definition = news.get(name);
    return definition === undefined ? null : { version: after, definition };
  };
  const target = aliasTarget(after, news, container ?? full);
  if (container === null) {
    if (target !== null) return at(target);
  } else if (target !== null && !news.has(full)) return at(`${target}.${full.slice(container.length + 1)}`);
  const found = at(full);
  if (found !== null) return found;
  for (const version of sharing) {
    const definition = byFullName(version).get(full);
    if (definition !== undefined) return { version, definition };
  }
  return null;
}

function findRename(
  { versions: { before, after }, olds, news }: Compared,
  full: string,
  old: Definition,
): PlacedDefinition | null {
  if (after === undefined) return null;
  const body = bodyOf(before, old);
  for (const [name, definition] of news) {
    if (definition.kind !== old.kind || olds.has(name) || containerOf(name) !== containerOf(full)) continue;
    if (similar(body.replaceAll(old.name, definition.name), bodyOf(after, definition)))
      return { version: after, definition };
  }
  return null;
}

/** Returns the functions of a file that return values of a type. */
const makersOf = ({ language, extraction: { definitions } }: FileVersion, container: string): readonly string[] =>
  definitions
    .filter(({ kind, parent }) => CALLABLE.has(kind) && parent === -1)
    .filter(({ signature, name }) => {
      const result = readSignature(language, signature, name)?.result ?? '';
      return new RegExp(`(?<![\\w$])${container}(?![\\w$])`, 'u').test(result);
    })
    .map(({ name }) => name);

const GONE = { kind: 'removed', why: 'it was removed', effect: { on: 'every use' } } as const;

/**
 * Returns the names that Python's `import *` imports from a file (`__all__`), or null if the file does not list them.
 */
function listedNames(version: FileVersion | undefined): ReadonlySet<string> | null {
  const list = /^__all__\s*=\s*[[(]([^\])]*)[\])]/mu.exec(version?.lines.join('\n') ?? '')?.[1];
  return version?.language !== 'python' || list === undefined ? null : new Set(list.match(/\w+/gu) ?? []);
}

function judge(compared: Compared, full: string, old: Definition): Placed | null {
  const { before, after } = compared.versions;
  const now = findNow(compared, full);
  if (now !== null) {
    const judged = judgeSymbol({ version: before, definition: old }, now);
    if (judged !== null) return { ...judged, place: now };
    const [listed, still] = [listedNames(before), listedNames(after)];
    return listed?.has(old.name) === true && still?.has(old.name) === false
      ? { kind: 'unexported', why: 'it is no longer in __all__', effect: { on: 'import of all names' }, place: now }
      : null;
  }
  const container = containerOf(full);
  // Members of a removed type are not reported, because the removal of the type is reported already.
  if (container !== null && compared.olds.has(container) && findNow(compared, container) === null) return null;
  if (container === null && (handsOn(after, old.name) || hasNewStar(compared))) return null;
  const renamed = findRename(compared, full, old);
  if (renamed === null) return { ...GONE, place: null };
  const why = `it was renamed to ${renamed.definition.name}`;
  return { kind: 'renamed', why, effect: { on: 'every use' }, place: renamed };
}

/**
 * Returns the exported names of a changed symbol whose users the change concerns. A name that is exported for another
 * symbol now is left out, and after a rename also a name that is exported for the renamed symbol.
 */
function exposedBy({ oldExports, newExports }: Compared, top: string, judged: Placed): readonly string[] {
  const names = exposedNames(oldExports, top);
  if (newExports === null) return names;
  const isGone = judged.kind === 'removed' || judged.kind === 'renamed';
  const current = judged.place?.definition.name ?? top;
  return names.filter((name) => {
    const now = newExports.names.get(name);
    return now === undefined || (!isGone && (now.local === top || now.local === current));
  });
}

function describe(compared: Compared, full: string, old: Definition, judged: Placed): SymbolChange {
  const { versions } = compared;
  const { before, change } = versions;
  const { place, kind, why, effect } = judged;
  const isConstructor = CONSTRUCTORS.has(old.name);
  const container = containerOf(full);
  const placed = place ?? { version: before, definition: old };
  return {
    kind,
    why,
    effect,
    name: isConstructor ? (container ?? old.name) : old.name,
    container: isConstructor ? null : container,
    makers: container === null ? [] : makersOf(before, container),
    exposedAs:
      container === null ? exposedBy(compared, old.name, judged) : exposedNames(compared.oldExports, container),
    isTraitMethod: before.language === 'rust' && before.extraction.definitions[old.parent]?.kind === 'trait',
    file: before.path,
    line: old.row + 1,
    text: squeeze(before.lines[old.row] ?? ''),
    changedFile: place === null ? before.path : place.version === versions.after ? change.to : place.version.path,
    changedLine: placed.definition.row + 1,
    changedText: squeeze(placed.version.lines[placed.definition.row] ?? ''),
  };
}

/** Returns the attributes that the methods of a Python class assign, with the row of the first assignment. */
function attributesOf(version: FileVersion, { startRow, endRow }: Definition): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (let row = startRow; row <= endRow; row += 1)
    for (const [, name = ''] of (version.lines[row] ?? '').matchAll(/\bself\.(\w+)\s*(?::[^=]+)?(?:[-+*/|&]?=)(?!=)/gu))
      if (!rows.has(name)) rows.set(name, row);
  return rows;
}

/** Returns the attributes that a branch removed from Python classes. */
function removedAttributes(compared: Compared): readonly SymbolChange[] {
  const { before } = compared.versions;
  if (before.language !== 'python') return [];
  return [...compared.olds].flatMap(([full, old]) => {
    const now = old.kind === 'class' ? findNow(compared, full) : null;
    if (now === null) return [];
    const left = attributesOf(now.version, now.definition);
    const members = new Set(now.version.extraction.definitions.map(({ name }) => name));
    return [...attributesOf(before, old)]
      .filter(([name]) => !left.has(name) && !members.has(name))
      .map(([name, row]) => {
        const place = { version: before, definition: { ...old, name, row } };
        return describe(compared, `${full}.${name}`, place.definition, { ...GONE, place: null });
      });
  });
}

/** Returns the exported names whose symbol was replaced, renamed or removed, except for those in `known`. */
function changedExports(compared: Compared, known: ReadonlySet<string>): readonly SymbolChange[] {
  const { versions, olds, news, oldExports, newExports } = compared;
  const { before, after } = versions;
  if (oldExports === null || after === undefined) return [];
  if (newExports === null || hasNewStar(compared)) return [];
  return [...oldExports.names].flatMap(([name, { local, row }]): readonly SymbolChange[] => {
    if (known.has(name)) return [];
    const old = local === null ? undefined : olds.get(local);
    const entry = newExports.names.get(name);
    const now = entry?.local === undefined || entry.local === null ? undefined : news.get(entry.local);
    if (entry !== undefined) {
      if (old === undefined || now === undefined || now.name === old.name) return [];
      const place = { version: after, definition: now };
      const judged = judgeSymbol({ version: before, definition: old }, place);
      return judged === null
        ? []
        : [{ ...describe(compared, old.name, old, { ...judged, place }), name, exposedAs: [name] }];
    }
    const other = [...newExports.names].find(
      ([alias, target]) => local !== null && target.local === local && !oldExports.names.has(alias),
    );
    const why = other === undefined ? 'it is no longer exported' : `it is exported as ${other[0]} now`;
    const judged = {
      kind: other === undefined ? 'unexported' : 'renamed',
      why,
      effect: { on: 'uses outside' },
    } as const;
    const written = {
      kind: 'constant',
      startRow: row,
      endRow: row,
      row,
      column: 0,
      parent: -1,
      exported: true,
    } as const;
    const definition = { ...written, name, approximate: true, signature: '', doc: '' };
    return [{ ...describe(compared, name, definition, { ...judged, place: null }), name, exposedAs: [name] }];
  });
}

/** Returns the symbols of one file that a branch changed incompatibly. */
export function changedSymbols(versions: Versions): readonly SymbolChange[] {
  const { before, after } = versions;
  const compared: Compared = {
    versions,
    olds: byFullName(before),
    news: byFullName(after),
    oldExports: readExportTable(before),
    newExports: readExportTable(after),
  };
  const changes = [...compared.olds].flatMap(([full, old]): readonly SymbolChange[] => {
    const outer = before.extraction.definitions[old.parent];
    if (outer !== undefined && CALLABLE.has(outer.kind)) return [];
    if (
      old.exported ||
      outer === undefined ||
      TYPES.has(outer.kind) ||
      outer.kind === 'impl' ||
      outer.kind === 'module'
    ) {
      const judged = judge(compared, full, old);
      return judged === null ? [] : [describe(compared, full, old, judged)];
    }
    return [];
  });
  const known = new Set(changes.filter(({ container }) => container === null).flatMap(({ exposedAs }) => exposedAs));
  return [...changes, ...removedAttributes(compared), ...changedExports(compared, known)];
}
