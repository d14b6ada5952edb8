import { contextSavings, type RunDetails } from '#engine/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { spentText } from '#protocol/amount-text.ts';
import type { Spent } from '#protocol/spent.ts';
import type { PathEntry, Response } from '#protocol/response.ts';
import { oneLine } from '#protocol/plain-text.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { shownFrom } from '../names/stored-source.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { ageText, durationText, retryText } from './time-text.ts';
import { savingsText } from './call-costs.ts';
import { fitOutlineLine, roomOn } from './fit-lines.ts';
import { progressLines } from './progress-lines.ts';
import { printResponse } from './response.ts';
import { isScriptedIn } from './scripted-blocks.ts';
import { statusMark } from './runs.ts';
import { harmless, type Style, styleFor } from './style.ts';

/** Prints the head and the path on stdout; on stderr, open halts or the failure, and the next commands. */
export function printRun(
  root: string,
  details: RunDetails,
  { response, spent }: { readonly response: Response | null; readonly spent: Spent | undefined },
  io: CliIo,
): void {
  const style = styleFor(io.stdout, io);
  const room = roomOn(io.stdout);
  const lines = [...headLines(details, spent, style, io), ...pathLines(details, style)];
  for (const line of lines.flatMap((one) => fitOutlineLine(one, room))) io.stdout.write(`${line}\n`);
  const saved = savingsText(contextSavings(root, details.listing.run));
  if (saved !== null) io.stdout.write(`\n  ${style.paint.dim(saved)}\n`);
  const { graph, header, listing } = details;
  if (response === null || response.success) return;
  if (response.reason !== 'halted') io.stderr.write('\n');
  const kept = storedRunCommands(listing.run, null, io);
  const shownFile = shownFrom(root, header.started.source, io);
  printResponse(response, { manifest: undefined, kept, graph, shownFile, explained: new Set() }, io);
}

function headLines(
  { listing, header, directory }: RunDetails,
  spent: Spent | undefined,
  style: Style,
  io: CliIo,
): readonly string[] {
  const { paint, symbols } = style;
  const { run, status, node, steps, started_at: began, updated_at: last, forked_from: from } = listing.summary;
  const { mark, paint: colour } = statusMark(status, style);
  // An active run writes nothing while a block executes, so its duration is counted up to the current time.
  const until = status === 'running' ? Date.now() : last;
  const facts = [
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    durationText(Math.max(0, until - began)),
    `began ${ageText(began, Date.now())} ago`,
    ...(spent === undefined ? [] : [spentText(spent)]),
  ];
  const { source, input } = header.started;
  const places = [
    ...(directory === null ? [] : [`in ${shownPath(directory, io)}`]),
    ...(source === null ? [] : [source]),
    ...(from === null ? [] : [`forked from ${from.run}@${from.step}`]),
  ];
  const between = ` ${symbols.dot} `;
  return [
    `${colour(mark)} ${paint.bold(harmless(node))}  ${run}  ${colour(status)}  ${paint.dim(facts.join(between))}`,
    `  ${paint.dim(harmless(places.join(between)))}`,
    ...(listing.summary.retries ?? []).map(({ block, until: due }) => `  ${harmless(block)} ${retryText(due)}`),
    ...(input === null ? [] : [`  ${paint.dim(`request: ${harmless(oneLine(input, LONGEST))}`)}`]),
    '',
  ];
}

const LONGEST = 100;

/** Returns the path as printed during the run, with the step number that a fork can start at. */
function pathLines({ path, graph, header }: RunDetails, style: Style): readonly string[] {
  if (path.length === 0) return ['  no step has finished yet'];
  const scripted = isScriptedIn(graph, new Set(Object.keys(header.started.script?.answers ?? {})));
  const { linesFor } = progressLines(graph, scripted, style);
  const width = String(path.at(-1)?.step ?? 0).length;
  return path.flatMap((entry) => {
    const lines = linesFor(taken(entry));
    return lines.map((line, index) => {
      const number = index === lines.length - 1 ? String(entry.step) : '';
      return `${style.paint.dim(number.padStart(width + 2))}${line}`;
    });
  });
}

const taken = (entry: PathEntry): RoboSmithEvent => ({
  type: 'transition.taken',
  entry,
  row: null,
  seq: 0,
  run_id: '' as never,
  trace_id: '',
  time: 0,
});
