import type { JsonObject } from '#protocol/json.ts';
import type { Screen } from '../terminal/cli-io.ts';
import type { Spent } from '#protocol/spent.ts';
import type { JsonDocument, SpentDocument } from './json-documents.ts';

// Direction overrides and control characters that JSON does not escape, but that a terminal would interpret.
const STEERING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Escapes characters in JSON text that would affect a terminal; the values stay the same. */
export const harmlessJson = (text: string): string =>
  text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the text of a JSON document for a terminal. */
export const jsonText = (value: JsonDocument | JsonObject | null): string =>
  `${harmlessJson(JSON.stringify(value, null, 2))}\n`;

/** Prints the document that is the output with `--json`. */
export const printJson = (document: JsonDocument, screen: Screen): void => screen.write(jsonText(document));

/** Prints one line of `--jsonl`. */
export const printJsonLine = (value: unknown, screen: Screen): void =>
  screen.write(`${harmlessJson(JSON.stringify(value))}\n`);

/** Returns the usage of a run as JSON. `at_least` is true if more was used than is known. */
export const spentJson = ({ tokens, microUsd, atLeast }: Spent = { tokens: 0, microUsd: 0 }): SpentDocument => ({
  tokens,
  micro_usd: microUsd,
  at_least: atLeast === true,
});
