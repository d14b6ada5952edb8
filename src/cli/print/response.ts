import type { StoredForecast } from '#protocol/forecast.ts';
import type { Graph } from '#protocol/graph.ts';
import type { HaltId } from '#protocol/id.ts';
import { spentText } from '#protocol/amount-text.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { durationText } from './time-text.ts';
import { besideForecast } from './forecast.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { harmlessJson } from './json.ts';
import { printLogs } from './logs.ts';
import { printHalts } from './halts.ts';
import { type CommandParts, nextCommands } from './next-commands.ts';
import { printNext } from './problem.ts';
import { failureMessage } from './why-it-failed.ts';
import { harmless, styleFor } from './style.ts';

/** Information about a run that its Response does not contain. */
export interface ResponseContext extends CommandParts {
  /** Null if nothing was started. */
  readonly graph: Graph | null;
  readonly shownFile: (file: string) => string;
  /** Halts that were already explained to the user. */
  readonly explained: ReadonlySet<HaltId>;
  /** The forecast that was made when the run started; absent or null if there is none. */
  readonly forecast?: StoredForecast | null;
}

/** Prints how a run ended; if it failed, also why, where, and the next commands. */
export function printResponse(response: Response, background: ResponseContext, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const { reason } = response;
  if (reason === 'halted') return printHalts(response, background.explained, background.kept, io);
  if (reason === 'invalid_graph') return;
  if (reason === null) {
    const id = background.kept === null ? '' : paint.dim(`  ${background.kept.run}`);
    io.stderr.write(`${paint.green(paint.bold(`${symbols.ok} Completed`))} in ${effort(response)}.${id}\n`);
    printBeside(response, background, io);
    return;
  }
  const started = response.metadata.run_id === null ? '' : paint.dim(`  after ${effort(response)}`);
  const head =
    reason === 'interrupted'
      ? paint.yellow(`${symbols.halt} ${paint.bold(stoppedHow(response))}`)
      : paint.red(`${symbols.bad} ${paint.bold(reason)}`);
  const text = `${head}  ${harmless(failureMessage(response))}${started}`;
  io.stderr.write(`${fitLines(text, roomOn(io.stderr), '  ').join('\n')}\n`);
  if (response.reason !== 'interrupted') printBeside(response, background, io);
  for (const line of whereabouts(response, background))
    io.stderr.write(`${paint.dim(`  ${symbols.arrow} ${harmless(line)}`)}\n`);
  printLogs(response, io);
  printUnsaved(response, io);
  printNext(nextCommands(reason, response, background), io);
}

/** Prints the forecast beside what the run has used. */
function printBeside(
  { metadata: { tokens, cost, duration_ms: ms } }: Response,
  { forecast }: ResponseContext,
  io: CliIo,
): void {
  if (forecast === null || forecast === undefined) return;
  const { paint } = styleFor(io.stderr, io);
  const microUsd = cost === null ? null : Math.round(cost * 1_000_000);
  const text = paint.dim(`  ${besideForecast(forecast, { tokens, microUsd, ms })}`);
  io.stderr.write(`${fitLines(text, roomOn(io.stderr), '    ').join('\n')}\n`);
}

/** Prints the journal lines that could not be written to the disk. */
function printUnsaved({ reason, details: { lines } }: Response, io: CliIo): void {
  if (reason !== 'state_not_saved' || typeof lines !== 'string' || lines === '') return;
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.dim('  These lines could not be written to the journal:')}\n`);
  io.stderr.write(harmlessJson(lines));
}

/** Describes how a run that can be resumed has stopped. */
const stoppedHow = ({ details }: Response): string =>
  details['detached'] === true ? 'detached' : details['paused'] === true ? 'paused' : 'interrupted';

function effort({ metadata }: Response): string {
  const { steps, duration_ms: ms, tokens, cost, cost_at_least: atLeast } = metadata;
  const microUsd = cost === null ? null : Math.round(cost * 1_000_000);
  const spent = spentText({ tokens, microUsd, ...(atLeast === true ? { atLeast } : {}) });
  return `${steps} ${steps === 1 ? 'step' : 'steps'}, ${durationText(ms)}${spent === '' ? '' : `, ${spent}`}`;
}

const ELSEWHERE = new Set(['cancelled', 'interrupted', 'corrupt_state', 'state_not_saved', 'engine_busy']);

/** Returns the block concerned and its position in the manifest. */
function whereabouts(
  { reason, details, metadata }: Response,
  { graph, shownFile }: ResponseContext,
): readonly string[] {
  if (reason === null || ELSEWHERE.has(reason)) return adviceOf(details);
  if (reason === 'registry_error') return placeOf(details);
  const id = typeof details['block'] === 'string' ? details['block'] : metadata.last_block;
  const block = graph?.nodes.flatMap(({ blocks }) => blocks).find((one) => one.id === id);
  if (block === undefined) return [];
  return [`${block.id}, ${shownFile(block.origin.file)}:${block.origin.line}:${block.origin.column}`];
}

const adviceOf = ({ advice }: Response['details']): readonly string[] => (typeof advice === 'string' ? [advice] : []);

/** Returns the position of a problem in a file other than a manifest. */
function placeOf({ file, line, column }: Response['details']): readonly string[] {
  return typeof file === 'string' && typeof line === 'number' && typeof column === 'number'
    ? [`${file}:${line}:${column}`]
    : [];
}
