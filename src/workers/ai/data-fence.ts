/**
 * Encloses texts from files, programs and models in tags, which tell a model that they are data and not instructions.
 */
export interface DataFence {
  /** The name of the enclosing tags. */
  readonly tag: string;
  wrap(kind: string, name: string, text: string): string;
}

/**
 * Escapes a text for an attribute: characters that could end the attribute, and invisible ones, become character
 * references.
 */
const attribute = (text: string): string =>
  text.replace(/["<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `&#${one.codePointAt(0) ?? 0};`);

/** Letters of other scripts that look like the letters of the word "data", with the letter that each resembles. */
const TWINS: Readonly<Record<string, string>> = {
  '\u0430': 'a',
  '\u03b1': 'a',
  '\u0251': 'a',
  '\u0501': 'd',
  '\u0442': 't',
  '\u03c4': 't',
};

/**
 * Normalises a text before it is searched for tags: other forms of letters, digits and dashes become plain ones, and
 * invisible characters are removed. A model may mistake such variants for the tag.
 */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Cc}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\u0430\u03b1\u0251\u0501\u0442\u03c4]/gu, (letter) => TWINS[letter] ?? letter)
    .replace(/[\p{Pd}_\u2212]/gu, '-');

/** Matches the word "data" with a number, even with spaces or control characters between the letters. */
const TAG = /d[\s\p{Cc}]*a[\s\p{Cc}]*t[\s\p{Cc}]*a[\s\p{Cc}_-]*(\d[\d\s\p{Cc}]{0,16})/gu;

/**
 * Yields the numbers of the tags in a text, and every prefix of these numbers, because it is not always clear where a
 * number ends.
 */
function* numbersIn(text: string): Generator<string> {
  const source = /[^\p{ASCII}]/u.test(text) ? plain(text) : text.toLowerCase();
  for (const [, found = ''] of source.matchAll(TAG)) {
    const digits = found.replaceAll(/\D/g, '').replace(/^0+(?=.)/, '');
    for (let end = 1; end <= digits.length; end += 1) yield digits.slice(0, end);
  }
}

/**
 * Returns a fence with a tag that occurs in none of the texts, so that no text can close it and texts need no escaping.
 * Most prompts get `data-1`, which keeps a provider's prompt cache valid.
 */
export function dataFence(texts: readonly string[]): DataFence {
  const used = new Set<string>();
  for (const text of texts) for (const digits of numbersIn(text)) used.add(digits);
  let number = 1;
  while (used.has(String(number))) number += 1;
  const tag = `data-${number}`;
  return {
    tag,
    wrap: (kind, name, text) => `<${tag} kind="${attribute(kind)}" name="${attribute(name)}">\n${text}\n</${tag}>`,
  };
}
