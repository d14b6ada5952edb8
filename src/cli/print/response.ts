import type { Graph } from '#protocol/graph.ts';
import type { HaltId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import { durationText } from './duration.ts';
import { printHalts } from './halts.ts';
import { printNext } from './problem.ts';
import { failureMessage, nextCommands } from './why-it-failed.ts';
import { harmless, styleFor } from './style.ts';

/** What the printer knows beside the Response. */
export interface Background {
  /** `--manifest`, to be typed again. */
  readonly manifest: string | undefined;
  /** Null when nothing was started. */
  readonly graph: Graph | null;
  readonly shownFile: (file: string) => string;
  /** Halts that have been explained already. */
  readonly told: ReadonlySet<HaltId>;
}

/** How a run ended, in a sentence; why, where and what to type next when it did not succeed. */
export function printResponse(response: Response, background: Background, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const { reason } = response;
  if (reason === 'halted') return printHalts(response, background.told, io);
  if (reason === 'invalid_graph') return;
  if (reason === null) {
    io.stderr.write(`${paint.green(paint.bold(`${symbols.ok} Completed`))} in ${effort(response)}.\n`);
    return;
  }
  const started = response.metadata.run_id === null ? '' : paint.dim(`  after ${effort(response)}`);
  io.stderr.write(
    `${paint.red(`${symbols.bad} ${paint.bold(reason)}`)}  ${harmless(failureMessage(response))}${started}\n`,
  );
  for (const line of whereabouts(response, background))
    io.stderr.write(`${paint.dim(`  ${symbols.arrow} ${harmless(line)}`)}\n`);
  printNext(nextCommands(reason, response, background.manifest), io);
}

const effort = ({ metadata }: Response): string =>
  `${metadata.steps} ${metadata.steps === 1 ? 'step' : 'steps'}, ${durationText(metadata.duration_ms)}`;

/** The block in question and where the manifest has it. */
function whereabouts({ reason, details, metadata }: Response, { graph, shownFile }: Background): readonly string[] {
  if (reason === 'cancelled' || reason === 'interrupted') return [];
  const id = typeof details['block'] === 'string' ? details['block'] : metadata.last_block;
  const block = graph?.nodes.flatMap(({ blocks }) => blocks).find((one) => one.id === id);
  if (block === undefined) return [];
  return [`${block.id}, ${shownFile(block.origin.file)}:${block.origin.line}:${block.origin.column}`];
}
