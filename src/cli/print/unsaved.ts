import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import { styleFor } from './style.ts';

// What turns the direction of text, and the controls that JSON leaves as they are: a terminal must not obey them.
const STEERING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** What the disk did not take goes to stderr (spec/engine.md "Crash barrier"). */
export function printUnsaved({ reason, details: { lines } }: Response, io: CliIo): void {
  if (reason !== 'state_not_saved' || typeof lines !== 'string' || lines === '') return;
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.dim('  What could not be written to its journal:')}\n`);
  io.stderr.write(lines.replace(STEERING, escaped));
}
