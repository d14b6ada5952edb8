import { withoutBidiControls } from '#protocol/plain-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * Escapes text for HTML and XML, both as content and in a quoted attribute. Characters that XML 1.0 forbids, and
 * bidirectional control characters, become U+FFFD.
 */
export const escapeMarkup = (raw: string): string =>
  withoutBidiControls(raw)
    // eslint-disable-next-line no-control-regex -- names come from untrusted files
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');

/** Returns a count with its noun, in the plural unless the count is 1: `2 blocks`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
