/** Marks a text as material (spec: "content from files and models is marked as data"). */
export interface DataFence {
  /** The name of its tags. */
  readonly tag: string;
  wrap(kind: string, name: string, text: string): string;
}

/** In an attribute nothing of a name can end it. */
const attribute = (text: string): string =>
  text.replace(/["<>&\p{Cc}\p{Zl}\p{Zp}]/gu, (one) => `&#${one.codePointAt(0) ?? 0};`);

/**
 * A tag that none of these texts has: whatever is written between, it can't end there, and it need not be changed.
 * Most prompts get `data-1`, so that what a provider has cached of it stays the same.
 */
export function dataFence(texts: readonly string[]): DataFence {
  const used = new Set<string>();
  for (const text of texts) for (const [, digits = ''] of text.matchAll(/data-(\d+)/gi)) used.add(digits);
  let number = 1;
  while (used.has(String(number))) number += 1;
  const tag = `data-${number}`;
  return {
    tag,
    wrap: (kind, name, text) => `<${tag} kind="${attribute(kind)}" name="${attribute(name)}">\n${text}\n</${tag}>`,
  };
}
