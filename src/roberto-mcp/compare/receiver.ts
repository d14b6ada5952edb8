import type { FileVersion } from './read-version.ts';
import type { Reach } from './reach.ts';
import type { SymbolChange } from './symbol-change.ts';

/** The expression before the dot of a member: `a.b.` or `Maker(…).`. Both properties are null if there is none. */
export interface Receiver {
  /** The names before the last dot, such as `a.b` in `a.b.name`. */
  readonly chain: string | null;
  /** The name of the function called before the dot, such as `Maker` in `Maker(…).name`; empty for other values. */
  readonly call: string | null;
}

const CHAIN = /((?:[\w$]+\s*(?:\?\.|!\.|\.|::|->)\s*)+)$/u;

/** Returns the offset of the opening bracket that matches the closing one at the end of a text, or -1. */
function openingAtEnd(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (')]}'.includes(text[at] ?? '')) depth += 1;
    else if ('([{'.includes(text[at] ?? '')) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

const names = (chain: string): string =>
  chain
    .replace(/\s|!/gu, '')
    .replace(/(?:\?\.|::|->)/gu, '.')
    .replace(/\.$/u, '');

export function receiverAt(line: string, column: number): Receiver {
  const before = line.slice(0, column);
  const chain = CHAIN.exec(before)?.[1];
  if (chain !== undefined) return { chain: names(chain), call: null };
  if (!/(?:\?\.|!\.|\.|::|->)\s*$/u.test(before)) return { chain: null, call: null };
  const call = /[)\]}]\s*(?:\?\.|!\.|\.|::|->)\s*$/u.exec(before);
  if (call === null) return { chain: null, call: '' };
  const open = openingAtEnd(before.slice(0, call.index + 1));
  const callee = /((?:[\w$]+\s*(?:\.|::)\s*)*[\w$]+)\s*(?:::)?(?:<[^<>]*>)?$/u.exec(
    before.slice(0, Math.max(0, open)),
  )?.[1];
  return { chain: null, call: callee === undefined ? '' : names(callee) };
}

const escaped = (name: string): string => name.replaceAll('$', '\\$');

/** Returns the names in a file that refer to the type of a member, or to a type that inherits it. */
function ownersIn(version: FileVersion, { container }: SymbolChange, reach: Reach): ReadonlySet<string> {
  const owners = new Set([container ?? '', ...reach.direct]);
  for (const { kind, name, signature } of version.extraction.definitions) {
    if (!['class', 'interface', 'struct', 'trait'].includes(kind)) continue;
    const above =
      /(?:\(|\bextends\b|\bimplements\b|:)\s*(.*)$/u.exec(signature.slice(signature.indexOf(name)))?.[1] ?? '';
    if ([...owners].some((owner) => new RegExp(`(?<![\\w$])${escaped(owner)}(?![\\w$])`, 'u').test(above)))
      owners.add(name);
  }
  return owners;
}

/**
 * True if a variable or parameter in the file is declared with one of the types, or is assigned the result of a
 * function that returns one.
 */
function isDeclaredWith(
  { lines }: FileVersion,
  name: string,
  owners: readonly string[],
  makers: readonly string[],
): boolean {
  const type = owners.map(escaped).join('|');
  const made = [...owners, ...makers].map(escaped).join('|');
  const qualifier = '(?:[\\w$]+(?:\\.|::))*';
  const declared = new RegExp(
    `(?<![\\w$.])${escaped(name)}\\s*(?:` +
      `\\??:\\s*(?:&\\s*(?:'\\w+\\s+)?(?:mut\\s+)?)?(?:readonly\\s+)?(?:(?:dyn|impl)\\s+)?["']?(?:[\\w$]+<)?${qualifier}(?:${type})(?![\\w$])` +
      `|(?::[^=]*)?:?=\\s*(?:await\\s+|new\\s+|&(?:mut\\s+)?|\\*)*${qualifier}(?:${made})(?![\\w$])` +
      `|,\\s*\\w+\\s*:?=\\s*${qualifier}(?:${made})(?![\\w$])` +
      `|\\s\\*?(?:\\[\\])?${qualifier}(?:${type})(?![\\w$]))` +
      `|(?<![\\w$])(?:${type})(?:<[^<>]*>)?(?:\\[\\])?[\\s&*]+${escaped(name)}(?![\\w$])`,
    'u',
  );
  return lines.some((line) => declared.test(line));
}

/** Returns true if the receiver of a member may be a value of the member's type. */
export function mayBelong(version: FileVersion, change: SymbolChange, reach: Reach, receiver: Receiver): boolean {
  const owners = ownersIn(version, change, reach);
  const last = (chain: string): string => chain.slice(chain.lastIndexOf('.') + 1);
  if (receiver.call !== null)
    return receiver.call.split('.').some((name) => owners.has(name)) || change.makers.includes(last(receiver.call));
  const name = last(receiver.chain ?? '');
  if (owners.has(name)) return true;
  if (['this', 'self', 'Self'].includes(name)) return version.path === change.file;
  return isDeclaredWith(version, name, [...owners], change.makers);
}
