import type { HaltId } from '#protocol/id.ts';
import type { Halt, HaltReason, Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import { harmless, styleFor } from './style.ts';

const WHY: Readonly<Record<HaltReason, string>> = {
  flagged: 'its transitions say so',
  gate: 'it is a gate: it executes when you say so',
  step: 'the run goes step by step',
  budget: 'the budget is used up',
  quota: 'all keys are cooling down',
  keys: 'a key is missing',
  circuit_open: 'it crashed too often',
  manual: 'this part is done by hand',
  evidence: 'its evidence does not hold',
  unsafe: 'it may have been done already',
};

const EXCERPT = 14;

/** Why a run waits, and what was said last. */
export function printHaltReason(halt: Halt, response: Response, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const entry = response.path.findLast(({ block, frame }) => block === halt.block && frame === halt.frame);
  const signal = entry?.signal === undefined || entry.signal === null ? '' : ` after ${entry.signal}`;
  io.stderr.write(
    `\n${paint.magenta(paint.bold(`${symbols.halt} ${harmless(halt.block)}`))} waits for a person${signal}: ${WHY[halt.why]}.\n`,
  );
  // The Response holds the payload of the root frame; what an inner frame said is not in it.
  const { last } = halt;
  if (last === null) return;
  const lines = tellingLines(harmless(last.content));
  io.stderr.write(
    `${paint.dim(`  The last it said (${harmless(last.type)}${lines.length > EXCERPT ? `, ${EXCERPT} of ${lines.length} lines` : ''}):`)}\n`,
  );
  for (const line of lines.slice(-EXCERPT)) io.stderr.write(`${paint.dim('  |')} ${line}\n`);
}

/** A log without the frames of its stack traces and without empty lines. */
const tellingLines = (log: string): readonly string[] =>
  log
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s+at\s/.test(line));

/** All halts of a run that ends as `halted`, each with the commands that answer it. */
export function printHalts(response: Response, told: ReadonlySet<HaltId>, io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  const halts = haltsOf(response);
  for (const halt of halts) {
    if (!told.has(halt.halt_id)) printHaltReason(halt, response, io);
    io.stderr.write('\n  Answer it with one of these (a jump may go to any block):\n');
    for (const command of halt.answers) io.stderr.write(`    ${paint.cyan(harmless(command))}\n`);
  }
  io.stderr.write(
    `\n${paint.dim('  This runs the whole of it again from the start. On a terminal you are asked right at the halt.')}\n`,
  );
}

function haltsOf({ details }: Response): readonly Halt[] {
  const { halts } = details;
  return Array.isArray(halts) ? (halts as readonly Halt[]) : [];
}
