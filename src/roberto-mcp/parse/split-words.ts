const WORD = /[\p{L}\p{N}_$]+/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_$]+/gu;
const ASCII_WORD = /[A-Za-z0-9_$]+/g;
const ASCII_PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+/g;
const SIMPLE = /^(?:[a-z]+|[A-Z][a-z]*|[A-Z]+|[0-9]+)$/;
/** Maximum word length in search tokens. Longer words are encoded data. */
const MAX_WORD = 64;

const isAscii = (text: string): boolean => !/[^\0-\x7f]/u.test(text);

const cache = new Map<string, string>();
const CACHE_LIMIT = 50_000;

function expand(word: string, ascii: boolean): string {
  if (word.length > MAX_WORD) return '';
  const whole = word.toLowerCase();
  if (SIMPLE.test(word)) return whole;
  const parts = word.match(ascii ? ASCII_PART : PART);
  if (parts === null) return '';
  return parts.length === 1 && parts[0].length === word.length ? whole : `${whole} ${parts.join(' ').toLowerCase()}`;
}

function expandCached(word: string, ascii: boolean): string {
  const known = cache.get(word);
  if (known !== undefined) return known;
  if (cache.size > CACHE_LIMIT) cache.clear();
  const made = expand(word, ascii);
  cache.set(word, made);
  return made;
}

/** Returns the search tokens of a text, separated by blanks: each word, and the parts of compound identifiers. */
export function searchTokens(text: string): string {
  const ascii = isAscii(text);
  const words = text.match(ascii ? ASCII_WORD : WORD);
  if (words === null) return '';
  let tokens = '';
  for (const word of words) {
    const expanded = expandCached(word, ascii);
    if (expanded !== '') tokens += `${expanded} `;
  }
  return tokens;
}

/** Returns the distinct search tokens of a query, in order. */
export const queryTokens = (query: string): readonly string[] => [
  ...new Set(
    searchTokens(query)
      .split(' ')
      .filter((token) => token !== ''),
  ),
];

/** Returns the parts of a compound identifier in lower case. */
export const wordParts = (name: string): readonly string[] =>
  (name.match(isAscii(name) ? ASCII_PART : PART) ?? []).map((part) => part.toLowerCase());
