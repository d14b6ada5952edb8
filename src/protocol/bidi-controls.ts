/** Characters that change the direction of the text around them, so that people read other words than there are. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns text that is only looked at, with each such character made visible. */
export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '\ufffd');

/** Returns indented JSON in which such characters are escaped: they are visible, and its values stay the same. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(BIDI_CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
