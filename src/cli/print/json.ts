import type { Screen } from '../terminal/cli-io.ts';

// Direction overrides and control characters that JSON does not escape, but that a terminal would interpret.
const STEERING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Escapes characters in JSON text that would affect a terminal; the values stay the same. */
export const harmlessJson = (text: string): string =>
  text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Prints the JSON document that is the output with `--json`. */
export const printJson = (value: unknown, screen: Screen): void =>
  screen.write(`${harmlessJson(JSON.stringify(value, null, 2))}\n`);

/** Prints one line of `--jsonl`. */
export const printJsonLine = (value: unknown, screen: Screen): void =>
  screen.write(`${harmlessJson(JSON.stringify(value))}\n`);
