import { closing, splitTop } from './balanced.ts';
import type { FileVersion } from './read-version.ts';
import { incompatibility, type Signature } from './signature.ts';

/** The arguments of one call. A name is the empty string for an argument given by position. */
interface CallArguments {
  readonly names: readonly string[];
  /** True if the call spreads a list, so that the number of arguments is unknown. */
  readonly spread: boolean;
}

const MAX_LINES = 40;

/** Reads the arguments of a call whose callee ends at a position; returns null if no call follows. */
export function readArguments(version: FileVersion, row: number, column: number): CallArguments | null {
  const text = [(version.lines[row] ?? '').slice(column), ...version.lines.slice(row + 1, row + MAX_LINES)].join('\n');
  const open = /^\s*(?:!|\?\.)?\s*(?:::)?(?:<[^()]*>)?\s*\(/u.exec(text);
  if (open === null) return null;
  const end = closing(text, open[0].length - 1);
  if (end < 0) return null;
  const parts = splitTop(text.slice(open[0].length, end));
  return {
    names: parts.map((part) => (version.language === 'python' ? (/^(\w+)\s*=(?!=)/u.exec(part)?.[1] ?? '') : '')),
    spread: parts.some((part) => /^(?:\.\.\.|\*)/u.test(part) || /\.\.\.$/u.test(part)),
  };
}

/** Returns the parameter name that each argument is bound to, or null if the arguments don't fit the signature. */
function bind({ names }: CallArguments, { parameters }: Signature): readonly string[] | null {
  const positional = parameters.filter(({ byName }) => byName !== 'only');
  const bound: string[] = [];
  for (const [index, name] of names.entries()) {
    const rest = parameters.find(({ variadic }) => variadic);
    const taker =
      name === ''
        ? (positional[index] ?? (rest === undefined ? undefined : rest))
        : (parameters.find((one) => one.name === name && one.byName !== 'never') ?? rest);
    if (taker === undefined) return null;
    bound.push(taker.name);
  }
  const missing = parameters.some((one) => !one.optional && !bound.includes(one.name));
  return missing ? null : bound;
}

/** Returns why one call no longer fits a changed signature, or null if it still does. */
export function misfit(call: CallArguments, before: Signature, after: Signature): string | null {
  const why = incompatibility(before, after);
  if (why === null || call.spread) return why;
  const old = bind(call, before);
  const now = bind(call, after);
  // If the call did not fit the old signature either, it calls another function, or was parsed wrongly.
  if (old === null || now === null) return old === null && call.names.length < before.parameters.length ? null : why;
  if (before.language === 'python') {
    const known = new Set(after.parameters.map(({ name }) => name));
    return old.some((name, index) => name !== now[index] && known.has(name)) ? why : null;
  }
  return why;
}
