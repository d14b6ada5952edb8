/**
 * Maximum length for the simple search. In longer texts, a search in linear time is used, regardless of their content.
 */
const SHORT = 256;

function fallbacks(wanted: string): Int32Array {
  const table = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (matched > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = table[matched - 1] ?? 0;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(matched)) matched += 1;
    table[at] = matched;
  }
  return table;
}

/** Finds all occurrences by the Knuth-Morris-Pratt algorithm. */
function inOnePass(text: string, wanted: string): readonly number[] {
  const table = fallbacks(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = table[matched - 1] ?? 0;
    if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched += 1;
    if (matched === wanted.length) {
      found.push(at + 1 - matched);
      matched = table[matched - 1] ?? 0;
    }
  }
  return found;
}

/** Returns the offsets of all occurrences of a text in another one, including overlapping ones. */
export function findAll(text: string, wanted: string): readonly number[] {
  if (wanted.length > SHORT) return inOnePass(text, wanted);
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) found.push(at);
  return found;
}
