import type { Screen } from '../terminal/cli-io.ts';

// What turns the direction of text, and the controls that JSON leaves as they are: a terminal must not obey them.
const STEERING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** JSON text with the same values, in which nothing steers a terminal. */
export const harmlessJson = (text: string): string =>
  text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The one document that `--json` promises. */
export const printJson = (value: unknown, screen: Screen): void =>
  screen.write(`${harmlessJson(JSON.stringify(value, null, 2))}\n`);

/** A line of `--jsonl`. */
export const printJsonLine = (value: unknown, screen: Screen): void =>
  screen.write(`${harmlessJson(JSON.stringify(value))}\n`);
