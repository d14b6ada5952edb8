import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmlessJson } from './json.ts';
import { styleFor } from './style.ts';

/** Prints the journal lines that could not be written to the disk. */
export function printUnsaved({ reason, details: { lines } }: Response, io: CliIo): void {
  if (reason !== 'state_not_saved' || typeof lines !== 'string' || lines === '') return;
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.dim('  Not written to its journal:')}\n`);
  io.stderr.write(harmlessJson(lines));
}
