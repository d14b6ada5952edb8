/** They turn the direction of the text around them: it is shown as other words than it has. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** For text that is only looked at. */
export const withoutTurning = (text: string): string => text.replace(TURNING, '\ufffd');

/** For what is looked at and read back: JSON with the same values, in which they can be seen. */
export const jsonShown = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(TURNING, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
