import type { Definition } from '../parse/extraction.ts';
import { isInImport, type Mention, isBrokenBy } from './is-broken-by.ts';
import { type Branch, type Reach, reachOf } from './reach.ts';
import { mayBelong, type Receiver, receiverAt } from './receiver.ts';
import type { FileVersion } from './read-version.ts';
import type { SymbolChange } from './symbol-change.ts';

/** A line that was added by a branch and uses a changed symbol. */
interface AddedUse {
  readonly file: string;
  readonly line: number;
  readonly text: string;
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
      `(?:\\b(?:const|let|var|for)\\s+(?:mut\\s+)?[({\\[]?\\s*|\\blet\\s+(?:mut\\s+)?)${escaped}\\b|(?<!:\\s*)\\b${escaped}\\s*(?::=|=(?![=>]))`,
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

/** True if a Rust path such as `crate::shapes::area` leads to the symbol's file. */
function isPathTo(version: FileVersion, { file, name }: SymbolChange, chain: string, branch: Branch): boolean {
  if (version.language !== 'rust') return false;
  const module = `${chain.replaceAll('.', '::')}::${name}`;
  const entry = { module, names: [{ name, alias: name }], row: 0, reexport: false };
  return branch.resolver.resolve('rust', version.path, entry).includes(file);
}

/** True if the mention is `member:` in a literal or `member=` in a call, near the name of the member's type. */
function isLiteralMember({ version, row, column, name }: Mention, change: SymbolChange, reach: Reach): boolean {
  if (!/^\s*(?:[:=,}]|$)/u.test((version.lines[row] ?? '').slice(column + name.length))) return false;
  const near = version.lines.slice(Math.max(0, row - 6), row + 1).join('\n');
  return [change.container ?? '', ...reach.direct].some((owner) =>
    new RegExp(`(?<![\\w$])${owner.replaceAll('$', '\\$')}(?![\\w$])`, 'u').test(near),
  );
}

function refersToMember(mention: Mention, change: SymbolChange, reach: Reach, receiver: Receiver): boolean {
  if (mention.name !== change.name || !reach.imported) return false;
  // Methods of a Rust trait can be called on any value once the trait is imported.
  const after = (mention.version.lines[mention.row] ?? '').slice(mention.column + mention.name.length);
  const isNowhere = receiver.chain === null && receiver.call === null;
  if (!isNowhere && change.isTraitMethod && /^\s*(?:::<.*>)?\(/u.test(after)) return true;
  return isNowhere ? isLiteralMember(mention, change, reach) : mayBelong(mention.version, change, reach, receiver);
}

/** True if the mention is a property that is destructured from a module object: `const { area } = shapes`. */
function isDestructured({ version, row, name }: Mention, { members, namespaces }: Reach): boolean {
  const source = /\}\s*=\s*([\w$.]+)\s*[;,]?\s*$/u.exec(version.lines[row] ?? '')?.[1];
  return source !== undefined && members.has(name) && namespaces.has(source);
}

function refersTo(mention: Mention, change: SymbolChange, reach: Reach, branch: Branch): boolean {
  const { version, row, column, name } = mention;
  const receiver = receiverAt(version.lines[row] ?? '', column);
  if (change.container !== null) return refersToMember(mention, change, reach, receiver);
  // The exported name in `require('./shapes').area` and `(await import('./shapes')).area`.
  if (receiver.call !== null)
    return reach.direct.has(name) && version.extraction.imports.some((entry) => entry.row === row);
  const { chain } = receiver;
  if (isDestructured(mention, reach)) return true;
  if (chain === null)
    return reach.direct.has(name) && (isInImport(version, row) || !isShadowed(version, row, name, change));
  if (!reach.members.has(name)) return false;
  return reach.namespaces.has(chain) || isPathTo(version, change, chain, branch);
}

function usesInFile(
  version: FileVersion,
  added: ReadonlySet<number>,
  change: SymbolChange,
  branch: Branch,
): readonly AddedUse[] {
  const reach = reachOf(version, change, branch);
  if (!reach.imported && version.language !== 'rust') return [];
  return [...new Set([...reach.direct, ...reach.members, change.name])].flatMap((name) => {
    const positions = version.extraction.references.get(name) ?? [];
    const uses: AddedUse[] = [];
    for (let at = 0; at < positions.length; at += 2) {
      const [row = 0, column = 0] = [positions[at], positions[at + 1]];
      const mention = { version, row, column, name };
      if (!added.has(row) || !refersTo(mention, change, reach, branch) || !isBrokenBy(mention, change, reach, added))
        continue;
      const isDefinition = version.extraction.definitions.some((one) => one.row === row && one.column === column);
      if (isDefinition && !isDestructured(mention, reach)) continue;
      uses.push({ file: version.path, line: row + 1, text: (version.lines[row] ?? '').trim() });
    }
    return uses;
  });
}

/** Returns the lines that were added by a branch and use the changed symbol. Each line is returned once. */
export function addedUses(change: SymbolChange, branch: Branch): readonly AddedUse[] {
  const uses = new Map<string, AddedUse>();
  for (const version of branch.files.values()) {
    const added = branch.addedRows.get(version.path);
    if (added === undefined || added.size === 0) continue;
    for (const use of usesInFile(version, added, change, branch)) uses.set(`${use.file}:${use.line}`, use);
  }
  return [...uses.values()];
}
