/** The beginning of the message that rejects a glob. */
export const COSTLY = 'it could take very long to match';

/** Maximum number of characters in a pattern. */
const LONGEST = 500;
const MOST_BRACES = 3;
/** Maximum number of patterns that the braces of one pattern may expand to. */
const MOST_ALTERNATIVES = 100;
const MOST_DEEP = 3;
/** Maximum number of `*` in a path segment. Each one multiplies the matching time by the length of the name. */
const MOST_STARS = 3;
const MOST_GROUPS = 3;

const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;

/** Returns an upper bound of the number of patterns that the braces expand to. */
function alternativesOf(pattern: string): number {
  let product = 1;
  let depth = 0;
  let commas = 0;
  for (const char of pattern) {
    if (char === '{') depth += 1;
    else if (char === ',' && depth > 0) commas += 1;
    else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      product *= commas + 1;
      commas = 0;
    }
  }
  return product * (commas + 1);
}

/** The checks in order. The first one that applies gives the reason. */
const RULES: readonly (readonly [holds: (pattern: string) => boolean, why: string])[] = [
  [(pattern) => pattern.length > LONGEST, `it has more than ${LONGEST} characters`],
  [(pattern) => count(pattern, /\{/g) > MOST_BRACES, `it has more than ${MOST_BRACES} pairs of braces`],
  [
    (pattern) => alternativesOf(pattern) > MOST_ALTERNATIVES,
    `its braces expand to more than ${MOST_ALTERNATIVES} patterns`,
  ],
  [(pattern) => /\{[^{},/]*[^{},/.]\.\.[^{},/]+\}/.test(pattern), 'it contains a range in braces'],
  [(pattern) => count(pattern, /\*\*/g) > MOST_DEEP, `it contains "**" more than ${MOST_DEEP} times`],
  [(pattern) => /[*+]\(/.test(pattern), 'it contains a repeated group'],
  [(pattern) => /\([^)]*\(/.test(pattern), 'it contains nested groups'],
  [(pattern) => count(pattern, /\(/g) > MOST_GROUPS, `it has more than ${MOST_GROUPS} groups`],
  [(pattern) => /[)\]][+*?{]/.test(pattern), 'it repeats something in parentheses or brackets'],
  [
    (pattern) =>
      pattern
        .replaceAll(/\*{2,}/g, '')
        .split('/')
        .some((part) => count(part, /\*|!\(/g) > MOST_STARS),
    `one of its path segments has more than ${MOST_STARS} "*"`,
  ],
];

/**
 * Returns why matching this glob could take very long for some file names, or null if it can't. The text is written to
 * follow a colon. Call this before matching any glob, because glob libraries use regular expressions that backtrack.
 */
export function whyCostly(glob: string): string | null {
  const pattern = glob.replaceAll(/\\./gs, 'x');
  return RULES.find(([holds]) => holds(pattern))?.[1] ?? null;
}
