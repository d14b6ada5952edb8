/** One character, any one character, or any number of characters. */
type Token = string | typeof ONE | typeof MANY;

const ONE = Symbol('?');
const MANY = Symbol('*');

/** Matches any number of folders. */
const DEEP = Symbol('**');

type SegmentPattern = readonly Token[] | typeof DEEP;

/** A path or glob: one alternative per combination of its braces, each a list of segments. */
export interface GlobPattern {
  /** The text for display: a glob as written, a path as it is. */
  readonly text: string;
  /** The path; null for globs. */
  readonly path: string | null;
  readonly alternatives: readonly (readonly SegmentPattern[])[];
}

/**
 * The maximum number of patterns that the braces of a glob may expand to. A glob with more matches anything: an
 * unnecessary clash costs waiting time, a missed clash costs work.
 */
const MOST_ALTERNATIVES = 64;

const WILD = /(?<!\\)[*?[{(]/;

/** Expands the first pair of braces; returns null if there is none. */
function splitBraces(glob: string): readonly string[] | null {
  const open = glob.search(/(?<!\\)\{/);
  if (open === -1) return null;
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < glob.length; at += 1) {
    const char = glob[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) {
      parts.push(glob.slice(start, at));
      start = at + 1;
    } else if (char === '}' && (depth -= 1) === 0) {
      parts.push(glob.slice(start, at));
      const rest = glob.slice(at + 1);
      const isRange = parts.length === 1;
      return isRange ? [`${glob.slice(0, open)}*${rest}`] : parts.map((part) => `${glob.slice(0, open)}${part}${rest}`);
    }
  }
  return [`${glob.slice(0, open)}*`];
}

function expand(glob: string): readonly string[] {
  let found: readonly string[] = [glob];
  for (;;) {
    const split = found.map((one) => splitBraces(one));
    if (split.every((one) => one === null)) return found;
    found = found.flatMap((one, index) => split[index] ?? [one]);
    if (found.length > MOST_ALTERNATIVES) return ['**'];
  }
}

const wholeOf = (text: string): string => (text.endsWith('/') ? `${text}**` : text);

/**
 * Expands the braces of a plan's entry if one of the alternatives is a plain path; otherwise returns the entry
 * unchanged.
 */
export function namedIn(written: string): readonly string[] {
  const alternatives = expand(written);
  return alternatives.some((one) => one !== '' && !WILD.test(one)) ? alternatives : [written];
}

const GROUP = /(?<!\\)\(/;

/** Matches a group that may be empty; after `**`, picomatch then accepts the folder itself. */
const MAY_BE_EMPTY = /(?<!\\)(?:[?*!]\(|\(\||\|\||\|\)|\(\))/;

function readSegment(segment: string): SegmentPattern {
  if (segment === '**') return DEEP;
  if (GROUP.test(segment)) return MAY_BE_EMPTY.test(segment) ? DEEP : [MANY];
  const tokens: Token[] = [];
  for (let at = 0; at < segment.length; at += 1) {
    const char = segment[at] ?? '';
    const classEnd = char === '[' ? segment.indexOf(']', at + 2) : -1;
    if (char === '\\' && at + 1 < segment.length) tokens.push(segment[(at += 1)] ?? '');
    else if (char === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY);
    } else if (char === '?') tokens.push(ONE);
    else if (classEnd !== -1) {
      tokens.push(ONE);
      at = classEnd;
    } else tokens.push(char);
  }
  return tokens;
}

const withoutDots = (text: string): string => text.replace(/^(?:\.\/)+/, '').replace(/\/+/g, '/');

const clean = (text: string): string => withoutDots(text.normalize('NFC'));

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

/**
 * Escapes a file name so that the pattern matches only this file. Only the dots of `.` and `..` are escaped, to keep
 * plans readable.
 */
export const escapeGlob = (path: string): string =>
  path.replaceAll(/[\\*+?()|{}[\]!@]|(?<=^|\/)\.(?=\.?(?:\/|$))/g, String.raw`\$&`);

/**
 * Rewrites the parts that picomatch would match more widely than `readGlob` does: "|" outside of parentheses, and "**"
 * that is not a whole segment.
 */
const plainStars = (glob: string): string =>
  glob
    .replaceAll(/(?<!\\)\|(?![^(]*\))/g, String.raw`\|`)
    .replaceAll(/(?<!\\)\*{3,}|(?<=[^/{,\\*])\*{2,}|(?<!\\)\*{2,}(?=[^/},*])/g, '*');

/** Returns the path and everything below it. */
const withFolder = (path: string): readonly string[] => [path, `${path}/**`];

/**
 * Returns exact glob patterns for an entry of a change plan: every file that they match would clash with another plan
 * that names the file.
 */
export function globsOf(written: string): readonly string[] {
  const whole = plainStars(wholeOf(withoutDots(written)));
  const named = namedIn(whole).filter((one) => one !== '' && !WILD.test(one));
  const patterns = [
    ...(WILD.test(whole) ? [whole] : []),
    ...named.flatMap((one) => withFolder(escapeGlob(unescaped(one.replace(/\/$/, ''))))),
  ];
  return [...new Set(patterns.flatMap((one) => [one, one.normalize('NFC')]))];
}

const depthOf = (text: string): number =>
  [...text.replaceAll(/\\./g, '')].reduce((depth, char) => depth + (char === '(' ? 1 : char === ')' ? -1 : 0), 0);

/**
 * Splits a glob into segments. If a group contains `/` or is not closed, the glob matches anything from that group on.
 */
function readSegments(glob: string): readonly SegmentPattern[] {
  const segments = glob.split('/');
  const open = segments.findIndex((segment) => GROUP.test(segment) && depthOf(segment) !== 0);
  return open === -1 ? segments.map(readSegment) : [...segments.slice(0, open).map(readSegment), DEEP];
}

/** Reads an entry of a change plan. A folder with `/` at its end means everything in the folder. */
export function readGlob(written: string, foldCase: boolean): GlobPattern {
  const text = clean(foldCase ? written.toLowerCase() : written);
  const whole = wholeOf(text);
  const path = WILD.test(whole) ? null : unescaped(whole);
  const alternatives = expand(whole).map((one) => readSegments(wholeOf(one)));
  if (path === null) return { text: written, path, alternatives };
  return { text: unescaped(clean(written)), path, alternatives: [path.split('/').map((part) => [...part])] };
}

const nameOf = (segment: SegmentPattern): string | null =>
  segment !== DEEP && segment.every((token) => typeof token === 'string') ? segment.join('') : null;

/** Returns the folders that contain everything that the pattern matches. */
export function foldersAbove({ alternatives }: GlobPattern): readonly string[] {
  return alternatives.flatMap((segments) => {
    const folders: string[] = [];
    for (const segment of segments.slice(0, -1)) {
      const name = nameOf(segment);
      if (name === null) break;
      folders.push(folders.length === 0 ? name : `${folders.at(-1) ?? ''}/${name}`);
    }
    return folders;
  });
}

function segmentsMeet(one: readonly Token[], other: readonly Token[]): boolean {
  return meet<Token>(
    one,
    other,
    (token) => token === MANY,
    (a, b) => a === ONE || b === ONE || a === b,
  );
}

/**
 * Returns whether some sequence matches both patterns. Fills a table row by row: each cell states whether the remaining
 * parts of both patterns can match the same sequence.
 */
function meet<Item>(
  one: readonly Item[],
  other: readonly Item[],
  isMany: (item: Item) => boolean,
  equal: (a: Item, b: Item) => boolean,
): boolean {
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i -= 1) {
    const row = new Array<boolean>(other.length + 1).fill(false);
    for (let j = other.length; j >= 0; j -= 1) {
      const a = one[i];
      const b = other[j];
      if (a === undefined && b === undefined) row[j] = true;
      else if (a !== undefined && isMany(a)) row[j] = below[j] === true || (b !== undefined && row[j + 1] === true);
      else if (b !== undefined && isMany(b)) row[j] = row[j + 1] === true || (a !== undefined && below[j] === true);
      else row[j] = a !== undefined && b !== undefined && below[j + 1] === true && equal(a, b);
    }
    below = row;
  }
  return below[0] === true;
}

const segmentMeets = (a: SegmentPattern, b: SegmentPattern): boolean => a !== DEEP && b !== DEEP && segmentsMeet(a, b);

/**
 * Returns whether some path matches both patterns. Character classes and extended globs count as anything, so no
 * overlap is missed.
 */
export const globsMeet = (one: GlobPattern, other: GlobPattern): boolean =>
  one.alternatives.some((a) =>
    other.alternatives.some((b) => meet<SegmentPattern>(a, b, (segment) => segment === DEEP, segmentMeets)),
  );
