import { misfit, readArguments } from './call-arguments.ts';
import type { FileVersion } from './read-version.ts';
import type { Reach } from './reach.ts';
import type { SymbolChange } from './symbol-change.ts';

/** One mention of a symbol in the text of a file. */
export interface Mention {
  readonly version: FileVersion;
  readonly row: number;
  readonly column: number;
  readonly name: string;
}

const MAX_IMPORT_LINES = 40;

/** True if a line belongs to an import or to a re-export of a name from another file. */
export function isInImport({ lines, extraction: { imports } }: FileVersion, row: number): boolean {
  if (imports.some((entry) => entry.row === row)) return true;
  if (!/^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+|::[\w$:{}, ]+)?,?\s*$/u.test(lines[row] ?? '')) return false;
  const above = imports
    .filter((entry) => entry.row < row && row - entry.row < MAX_IMPORT_LINES)
    .map((entry) => entry.row);
  const start = Math.max(-1, ...above);
  return start >= 0 && !lines.slice(start, row).some((line) => /[;)}]\s*$|\bfrom\s*['"]/u.test(line));
}

const textAround = ({ version, row, column, name }: Mention): readonly [before: string, after: string] => {
  const line = version.lines[row] ?? '';
  return [line.slice(0, column), line.slice(column + name.length)];
};

/** True if a function is passed to another function instead of being called. */
const isHandedOver = (mention: Mention): boolean => {
  const [before, after] = textAround(mention);
  return /[(,]\s*(?:[\w$]+\s*(?:\.|::)\s*)*$/u.test(before) && /^\s*[,)]/u.test(after);
};

function breaksCall(mention: Mention, { effect }: SymbolChange): boolean {
  if (effect.on !== 'calls') return false;
  const { version, row, column, name } = mention;
  const call = readArguments(version, row, column + name.length);
  if (call === null) return isHandedOver(mention);
  return effect.before === null || effect.after === null || misfit(call, effect.before, effect.after) !== null;
}

/** True if the mention creates a value of the type or implements the type. */
function makesValue(mention: Mention): boolean {
  const [before, after] = textAround(mention);
  switch (mention.version.language) {
    case 'rust':
      return /\bimpl\b/u.test(before)
        ? /^(?:<.*>)?\s+for\b/u.test(after)
        : /^\s*(?:::<.*>)?\s*\{/u.test(after) && !/\b(?:struct|for|trait|enum|union)\s+$|->\s*[\w:]*$/u.test(before);
    case 'go':
      return /^\s*=|^\s*[({]/u.test(after) && !/\btype\s+$/u.test(before);
    default:
      return (
        /^(?:<.*>)?(?:\[\])*\s*=(?![>=])/u.test(after) ||
        /\b(?:implements|extends|satisfies)\s[^{]*$/u.test(before) ||
        /\)\s*:\s*(?:Promise<|readonly\s+)?(?:[\w$]+\.)?$/u.test(before) ||
        (/[<|&]\s*(?:[\w$]+\.)?$/u.test(before) && /=\s*[[{(]/u.test(after)) ||
        /^\s*>?\s*\(\s*\{/u.test(after)
      );
  }
}

/** True if a Go literal lists the members of a struct by position, without names. */
function makesByPosition(mention: Mention): boolean {
  const { version, row, column, name } = mention;
  const text = [(version.lines[row] ?? '').slice(column + name.length), ...version.lines.slice(row + 1, row + 3)].join(
    ' ',
  );
  const literal = /^\s*\{\s*(?:&?\{)?\s*(.*)$/su.exec(text)?.[1];
  return literal !== undefined && !/^(?:\w+\s*:|\})/u.test(literal);
}

/** Returns the text between the braces of the innermost block that contains a row and whose head matches a pattern. */
function blockAround({ lines }: FileVersion, row: number, head: RegExp): string | null {
  for (let start = row; start >= Math.max(0, row - 60); start -= 1) {
    if (!head.test(lines[start] ?? '')) continue;
    const indent = /^\s*/u.exec(lines[start] ?? '')?.[0] ?? '';
    const end = lines.findIndex((line, at) => at > start && line.startsWith(`${indent}}`));
    if (end >= row) return lines.slice(start, end + 1).join('\n');
  }
  return null;
}

/** True if a choice (such as `switch` or `match`) covers all former members of a type and has no default case. */
function choosesAmongAll(mention: Mention, members: readonly string[], added: ReadonlySet<number>): boolean {
  const { version, row } = mention;
  const [before, after] = textAround(mention);
  if (version.language === 'rust') {
    const block = /=>/u.test(after) ? blockAround(version, row, /\bmatch\b/u) : null;
    return block !== null && !/^\s*(?:_|[a-z]\w*)\s*(?:if\b[^=]*)?=>/mu.test(block);
  }
  if (/\bRecord<\s*$/u.test(before) || /\bin\s+$/u.test(before)) return true;
  return [...added].some((at) => {
    const block = /\bswitch\b/u.test(version.lines[at] ?? '') ? blockAround(version, at, /\bswitch\b/u) : null;
    return (
      block !== null && !/\bdefault\s*:/u.test(block) && members.every((member) => block.includes(`case ${member}`))
    );
  });
}

/** Returns true if a use of a changed symbol no longer works. */
export function isBrokenBy(mention: Mention, change: SymbolChange, reach: Reach, added: ReadonlySet<number>): boolean {
  const { effect } = change;
  const inImport = isInImport(mention.version, mention.row);
  switch (effect.on) {
    case 'every use':
      return true;
    case 'uses outside':
      return mention.version.path !== change.file;
    case 'import of all names':
      return reach.byAllNames && !inImport;
    case 'reads':
      return !inImport;
    case 'calls':
      return !inImport && breaksCall(mention, change);
    case 'new values':
      return !inImport && makesValue(mention);
    case 'values by position':
      return !inImport && makesByPosition(mention);
    case 'complete choices':
      return !inImport && choosesAmongAll(mention, effect.members, added);
  }
}
