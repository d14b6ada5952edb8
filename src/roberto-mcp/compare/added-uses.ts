import type { Definition } from '../parse/extraction.ts';
import { folderOf } from '../resolve/project-files.ts';
import type { Resolver } from '../resolve/resolver.ts';
import type { SymbolChange } from './changed-symbols.ts';
import type { FileVersion } from './read-version.ts';

/** A line that a branch added and that uses a symbol. */
export interface AddedUse {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The branch whose added lines are searched for uses of a changed symbol. */
export interface Branch {
  readonly files: ReadonlyMap<string, FileVersion>;
  readonly addedRows: ReadonlyMap<string, ReadonlySet<number>>;
  readonly resolver: Resolver;
}

/** The ways in which one file can refer to a symbol of another file. */
interface Reach {
  /** Names in this file that denote the symbol itself, such as an import alias. */
  readonly direct: ReadonlySet<string>;
  /** Names that qualify the symbol, such as `shapes` in `shapes.area`. */
  readonly namespaces: ReadonlySet<string>;
  /** True if the file imports the symbol's file, is that file, or shares its package. */
  readonly imported: boolean;
}

const SHARED_FOLDER = new Set(['go', 'java', 'kotlin']);

function reachOf(version: FileVersion, change: SymbolChange, resolver: Resolver): Reach {
  const direct = new Set<string>();
  const namespaces = new Set<string>();
  const top = change.container ?? change.name;
  const sameFolder = SHARED_FOLDER.has(version.language) && folderOf(version.path) === folderOf(change.file);
  let imported = version.path === change.file || sameFolder;
  if (imported) direct.add(top);
  for (const entry of version.extraction.imports) {
    const files = resolver.resolve(version.language, version.path, entry);
    if (!files.includes(change.file)) continue;
    imported = true;
    if (entry.names.length === 0 && (version.language === 'c' || version.language === 'cpp')) direct.add(top);
    for (const { name, alias } of entry.names) {
      if (name === '*') namespaces.add(alias === '*' ? '' : alias);
      else if (name === top) direct.add(alias);
      else if (name === 'default') direct.add(alias);
      else namespaces.add(alias);
    }
  }
  if (namespaces.has('')) direct.add(top);
  return { direct, namespaces, imported };
}

/** Returns true if a parameter or local variable of the enclosing function hides the symbol. */
function isShadowed(version: FileVersion, row: number, name: string, symbol: SymbolChange): boolean {
  const around = version.extraction.definitions.filter(
    ({ kind, startRow, endRow }) =>
      startRow <= row && endRow >= row && ['function', 'method', 'constructor'].includes(kind),
  );
  return around.some((definition: Definition) => {
    const text = version.lines.slice(definition.startRow, definition.endRow + 1).join('\n');
    if (definition.name === name && version.path === symbol.file) return false;
    const escaped = name.replace(/[$]/gu, '\\$&');
    const local = new RegExp(
      `(?:\\b(?:const|let|var|for)\\s+(?:mut\\s+)?[({\\[]?\\s*|\\blet\\s+(?:mut\\s+)?)${escaped}\\b|\\b${escaped}\\s*(?::=|=(?![=>]))`,
      'u',
    );
    const parameters = definition.signature.slice(
      definition.signature.indexOf('(', definition.signature.indexOf(definition.name)),
    );
    return (
      local.test(text) ||
      new RegExp(`[(,]\\s*(?:\\.{3}|\\*{1,2}|mut\\s+)?${escaped}\\b\\s*(?:[:,)=?]|\\s\\w)`, 'u').test(parameters)
    );
  });
}

const wordBeforeDot = (line: string, column: number): string | null =>
  /([\w$]+)\s*(?:\?\.|\.|::|->)\s*$/u.exec(line.slice(0, column))?.[1] ?? null;

function refersTo(
  version: FileVersion,
  change: SymbolChange,
  reach: Reach,
  row: number,
  column: number,
  name: string,
): boolean {
  const line = version.lines[row] ?? '';
  const before = wordBeforeDot(line, column);
  if (change.container === null) {
    if (before !== null)
      return name === change.name && (reach.namespaces.has(before) || before === 'crate' || before === 'super');
    return reach.direct.has(name) && !isShadowed(version, row, name, change);
  }
  if (name !== change.name || !reach.imported) return false;
  if (before === null) return isLiteralMember(version, change, row);
  return mayBe(version, change, reach, before);
}

/**
 * Returns true if a member appears to be part of an object literal of its type: the type's name occurs in the six lines
 * above it.
 */
function isLiteralMember(version: FileVersion, change: SymbolChange, row: number): boolean {
  const near = version.lines.slice(Math.max(0, row - 6), row + 1).join('\n');
  return new RegExp(`\\b${change.container ?? ''}\\b`, 'u').test(near);
}

/**
 * Returns true if a receiver (`receiver.member`) may have the symbol's type: it is the type, `self`, or a variable
 * declared with it.
 */
function mayBe(version: FileVersion, change: SymbolChange, reach: Reach, receiver: string): boolean {
  const container = change.container ?? '';
  if (receiver === container || reach.direct.has(receiver)) return true;
  if (['this', 'self'].includes(receiver)) return version.path === change.file;
  const declared = new RegExp(
    `\\b${receiver}\\b\\s*(?:\\??:\\s*(?:&(?:mut )?)?(?:readonly )?|:?=\\s*(?:await )?(?:new )?(?:&)?(?:\\w+(?:\\.|::))?|\\s\\*?(?:\\w+\\.)?)${container}\\b|\\b${container}\\s+${receiver}\\b`,
    'u',
  );
  return version.lines.some((line) => declared.test(line));
}

/** Returns the lines that a branch added and that use the changed symbol, each once. */
export function addedUses(change: SymbolChange, branch: Branch): readonly AddedUse[] {
  const uses = new Map<string, AddedUse>();
  for (const version of branch.files.values()) {
    const added = branch.addedRows.get(version.path);
    if (added === undefined || added.size === 0) continue;
    const reach = reachOf(version, change, branch.resolver);
    if (!reach.imported) continue;
    for (const name of new Set([...reach.direct, change.name])) {
      const positions = version.extraction.references.get(name) ?? [];
      for (let at = 0; at < positions.length; at += 2) {
        const [row = 0, column = 0] = [positions[at], positions[at + 1]];
        if (!added.has(row) || !refersTo(version, change, reach, row, column, name)) continue;
        if (version.extraction.definitions.some((one) => one.row === row && one.column === column)) continue;
        uses.set(`${version.path}:${row}`, {
          file: version.path,
          line: row + 1,
          text: (version.lines[row] ?? '').trim(),
        });
      }
    }
  }
  return [...uses.values()];
}
