/** Marks a text as material (spec: "content from files and models is marked as data"). */
export interface DataFence {
  /** The name of its tags. */
  readonly tag: string;
  wrap(kind: string, name: string, text: string): string;
}

/** In an attribute nothing of a name can end it, nor hide in it. */
const attribute = (text: string): string =>
  text.replace(/["<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `&#${one.codePointAt(0) ?? 0};`);

/** Letters of other scripts that look like those of the tag. */
const TWINS: Readonly<Record<string, string>> = {
  ...{ '\u0430': 'a', '\u03b1': 'a', '\u0251': 'a', '\u0501': 'd', '\u0442': 't', '\u03c4': 't' },
};

/** A model may take for the tag what only looks like it: other forms of its letters, dashes and digits, blanks and what can't be seen between them. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Cc}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\u0430\u03b1\u0251\u0501\u0442\u03c4]/gu, (letter) => TWINS[letter] ?? letter)
    .replace(/[\p{Pd}_\u2212]/gu, '-');

/** The tag with a number, whatever stands between its letters. */
const TAG = /d[\s\p{Cc}]*a[\s\p{Cc}]*t[\s\p{Cc}]*a[\s\p{Cc}_-]*(\d[\d\s\p{Cc}]{0,16})/gu;

/** Numbers of tags in a text, and those that a longer one begins with: where it ends is not always clear. */
function* numbersIn(text: string): Generator<string> {
  const source = /[^\p{ASCII}]/u.test(text) ? plain(text) : text.toLowerCase();
  for (const [, found = ''] of source.matchAll(TAG)) {
    const digits = found.replaceAll(/\D/g, '').replace(/^0+(?=.)/, '');
    for (let end = 1; end <= digits.length; end += 1) yield digits.slice(0, end);
  }
}

/**
 * A tag that none of these texts has: whatever is written between, it can't end there, and it need not be changed.
 * Most prompts get `data-1`, so that what a provider has cached of it stays the same.
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
