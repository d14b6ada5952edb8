/**
 * Bidirectional control characters. They reorder the displayed text, so that people read something other than the
 * actual text.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces each bidirectional control character by a visible U+FFFD, for text that is only displayed. */
export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '\ufffd');

/**
 * Returns indented JSON in which bidirectional control characters are escaped: they become visible, and the values stay
 * the same.
 */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(BIDI_CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
