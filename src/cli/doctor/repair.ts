import type { Check, Repair } from '../print/json-documents.ts';
import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { confirmTrust } from '../trust/ask-trust.ts';

/** Returns the commands that repair what the checks found, each once. */
export const repairsOf = (checks: readonly Check[]): readonly Repair[] => [
  ...new Set(checks.flatMap(({ repair }) => repair ?? [])),
];

/**
 * Asks once, and executes the commands that repair what was found. Returns whether anything was executed. Throws a usage
 * error where nobody can be asked.
 */
export async function repair(
  commands: readonly Repair[],
  { isAgreed, execute }: { readonly isAgreed: boolean; readonly execute: (command: Repair) => Promise<number> },
  io: CliIo,
): Promise<boolean> {
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write('\nThese commands repair what can be repaired:\n');
  for (const command of commands) io.stderr.write(`  ${paint.cyan(`robosmith ${command}`)}\n`);
  io.stderr.write('\n');
  if (!isAgreed && !io.interactive)
    throw usageError('Nothing was repaired, because nobody has agreed to it.', ['robosmith doctor --fix --yes']);
  if (!isAgreed && !(await confirmTrust('Execute them now?'))) return false;
  for (const command of commands) await execute(command);
  io.stderr.write('\n');
  return true;
}
