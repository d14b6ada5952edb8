import type { Screen } from '../cli-io.ts';

/** The one document that `--json` promises. */
export const printJson = (value: unknown, screen: Screen): void => screen.write(`${JSON.stringify(value, null, 2)}\n`);
