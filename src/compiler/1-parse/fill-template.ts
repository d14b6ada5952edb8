const LONGEST = 160;
/** The maximum length of lists of legal names, which are cut only if a name of the manifest in them is very long. */
const LONGEST_LIST = 1_000;
const LISTS: ReadonlySet<string> = new Set(['known', 'remedy', 'allowed']);

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const escapeControl = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/**
 * Makes text of an untrusted file safe for a message: shortens it, and escapes characters that would control a
 * terminal.
 */
function printable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(CONTROL, escapeControl);
}

/** Fills the `{placeholders}` of a message from `schemas/diagnostics.md`. */
export function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/g, (whole: string, name: string) =>
    Object.hasOwn(params, name) ? printable(params[name] ?? '', LISTS.has(name) ? LONGEST_LIST : LONGEST) : whole,
  );
}
