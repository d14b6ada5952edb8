import type { HaltId } from '#protocol/id.ts';
import { type Halt, type Response, whyText } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';
import { haltsOf } from '../names/resume-commands.ts';
import { ageText } from './time-text.ts';
import { commandLines, fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';
import { withoutStackFrames } from './event-lines.ts';

/** The maximum number of lines shown of a reason, which may contain a diff. */
const MOST_REASONS = 120;
const EXCERPT = 14;

/** Halts that follow the signal of their visit. At all others, the last signal is that of an earlier visit. */
const AFTER_SIGNAL: ReadonlySet<Halt['why']> = new Set(['flagged', 'evidence']);

/**
 * Prints why a run waits, and the last output. `simulated` is true if everything is scripted; the output is then not
 * marked as scripted again.
 */
export function printHaltReason(halt: Halt, response: Response, simulated: boolean, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const entry = AFTER_SIGNAL.has(halt.why)
    ? response.path.findLast(({ block, frame }) => block === halt.block && frame === halt.frame)
    : undefined;
  const signal = entry?.signal === undefined || entry.signal === null ? '' : ` after ${entry.signal}`;
  const waits = halt.until === null ? 'waits for a person' : 'waits for its scheduled time';
  const head = `${paint.magenta(paint.bold(`${symbols.halt} ${harmless(halt.block)}`))} ${waits}${signal}: ${whyText(halt.why)}.`;
  io.stderr.write(`\n${fitLines(head, roomOn(io.stderr), '  ').join('\n')}\n`);
  if (halt.until !== null) io.stderr.write(`${paint.dim(`  ${goesOnText(halt.until, response)}`)}\n`);
  for (const line of halt.task === undefined ? [] : fitLines(`  ${harmless(halt.task)}`, roomOn(io.stderr), '  '))
    io.stderr.write(`${line}\n`);
  if (halt.last?.summary !== undefined) io.stderr.write(`${paint.dim(`  ${harmless(halt.last.summary)}`)}\n`);
  printLast(halt, simulated, io);
  if (halt.last?.hint !== undefined)
    for (const line of fitLines(`  ${harmless(halt.last.hint)}`, roomOn(io.stderr), '  ')) io.stderr.write(`${line}\n`);
}

/** Prints the end of the last output. */
function printLast(halt: Halt, simulated: boolean, io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  // The Response holds only the root frame's payload, so the last output of an inner frame comes from the halt.
  const { last } = halt;
  const lines = last === null ? [] : withoutStackFrames(harmless(last.content));
  if (last === null || lines.length === 0) return;
  if (!ENGINE_SAYS.has(last.type)) {
    const origin = last.scripted && !simulated ? ', scripted' : '';
    const part = `${origin}${lines.length > EXCERPT ? `, ${EXCERPT} of ${lines.length} lines` : ''}`;
    io.stderr.write(`${paint.dim(`  Its last output (${harmless(last.type)}${part}):`)}\n`);
  }
  const most = ENGINE_SAYS.has(last.type) ? MOST_REASONS : EXCERPT;
  const bar = paint.dim('  |');
  // The engine's own sentences are wrapped; the output of a program stays as it is.
  const room = ENGINE_SAYS.has(last.type) ? roomOn(io.stderr) : Number.POSITIVE_INFINITY;
  for (const line of lines.slice(-most).flatMap((one) => fitLines(`${bar} ${one}`, room, `${bar} `)))
    io.stderr.write(`${line}\n`);
}

/** Types of last output that the engine itself produces; all other types come from a payload segment. */
const ENGINE_SAYS: ReadonlySet<string> = new Set(['WAITS', 'FAILURE']);

/** Returns a sentence that says what continues the run when it is due: the engine host, or a command. */
function goesOnText(until: number, { details: { host } }: Response): string {
  const now = Date.now();
  const when = until <= now ? 'now' : `in ${ageText(now, until)}`;
  if (typeof host === 'number') return `It continues ${when} in the engine host (process ${host}).`;
  return `It is due ${when}; \`robosmith resume --due\` continues it then.`;
}

/**
 * Prints all halts of a run that ended as `halted`, with the commands that answer them. `kept` is null if the run is
 * not stored.
 */
export function printHalts(
  response: Response,
  explained: ReadonlySet<HaltId>,
  kept: StoredRunCommands | null,
  io: CliIo,
): void {
  const { paint } = styleFor(io.stderr, io);
  for (const halt of haltsOf(response)) {
    if (!explained.has(halt.halt_id)) printHaltReason(halt, response, kept === null, io);
    const how = fitLines(`  ${howText(halt, kept)}`, roomOn(io.stderr), '  ');
    io.stderr.write(`\n${how.join('\n')}\n`);
    for (const command of halt.answers)
      for (const line of commandLines(harmless(fromHere(command, io)), roomOn(io.stderr), '    ', io))
        io.stderr.write(`${paint.cyan(line)}\n`);
  }
  const { diff } = response.details;
  if (typeof diff === 'string') {
    io.stderr.write('\n  See what has changed:\n');
    for (const line of commandLines(harmless(fromHere(diff, io)), roomOn(io.stderr), '    ', io))
      io.stderr.write(`${paint.cyan(line)}\n`);
  }
  io.stderr.write(`\n${paint.dim(`  ${whatFollows(kept, response)}`)}\n`);
}

function howText({ answers }: Halt, kept: StoredRunCommands | null): string {
  const jumps = answers.some((command) => / --jump | --answer \S*=jump:/.test(command))
    ? ['a jump may go to any block']
    : [];
  const guided = answers.some((command) => / --reject /.test(command)) ? 'any of them but --reject' : 'any of them';
  const notes = [...jumps, ...(kept === null ? [] : [`add --guidance <text> to ${guided}`])].join(', and ');
  const aside = notes === '' ? '' : ` (${notes})`;
  return `${kept === null ? 'Answer it with one of these commands' : 'Answer it at any time with one of these commands'}${aside}:`;
}

function whatFollows(kept: StoredRunCommands | null, { details: { host } }: Response): string {
  if (kept === null) return 'Each of these simulates the whole run again from the start.';
  if (typeof host === 'number') return `${kept.run} waits in the engine host; \`robosmith host status\` shows it.`;
  return `${kept.run} waits on disk; no process needs to keep running.`;
}
