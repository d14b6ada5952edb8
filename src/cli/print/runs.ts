import type { RunListing } from '#engine/index.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { costText } from '#protocol/amount-text.ts';
import type { Spent } from '#protocol/spent.ts';
import { ageText } from './time-text.ts';
import { printNext } from './problem.ts';
import { shortBlock } from './short-names.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import type { RunStatus } from '#protocol/run-status.ts';

type Paint = (text: string) => string;

/** Returns the mark and colour of a run's status. */
export function statusMark(status: RunStatus | 'damaged', { paint, symbols }: Style): { mark: string; paint: Paint } {
  switch (status) {
    case 'completed':
      return { mark: symbols.ok, paint: paint.green };
    case 'running':
      return { mark: symbols.start, paint: paint.cyan };
    case 'halted':
      return { mark: symbols.halt, paint: paint.magenta };
    case 'paused':
    case 'interrupted':
      return { mark: symbols.halt, paint: paint.yellow };
    case 'failed':
    case 'damaged':
      return { mark: symbols.bad, paint: paint.red };
    case 'cancelled':
      return { mark: symbols.skipped, paint: paint.dim };
  }
}

const COLUMNS: readonly Column[] = [
  { heading: 'run' },
  { heading: 'started from', least: 8 },
  { heading: 'status' },
  { heading: 'at', least: 12, drop: 3 },
  { heading: 'steps', right: true, drop: 1 },
  { heading: 'tokens', right: true, drop: 1 },
  { heading: 'cost', right: true, drop: 2 },
  { heading: 'age', right: true, drop: 2 },
  { heading: '', least: 10, drop: 4 },
];

const COSTS: ReadonlySet<string> = new Set(['tokens', 'cost']);

/** What each run has used. */
type Costs = ReadonlyMap<string, Spent>;

/** Prints the runs, newest first, and suggested commands. */
export function printRuns(listings: readonly RunListing[], costs: Costs, io: CliIo): void {
  if (listings.length === 0) {
    io.stdout.write('No runs yet in this project.\n');
    printNext(['robosmith manifest show', 'robosmith run --help'], io);
    return;
  }
  for (const line of runLines(listings, costs, io)) io.stdout.write(`${line}\n`);
  printNext(suggestions(listings), io);
}

/** Returns the lines of the table of runs. */
export function runLines(listings: readonly RunListing[], costs: Costs, io: CliIo): readonly string[] {
  const style = styleFor(io.stdout, io);
  const now = Date.now();
  const room = roomOn(io.stdout);
  const rows = listings.map((listing) => rowOf(listing, costs.get(listing.run), now, style));
  // Without costs, their columns would be empty.
  const isShown = (_: unknown, column: number): boolean => costs.size > 0 || !COSTS.has(COLUMNS[column]?.heading ?? '');
  return tableLines(
    COLUMNS.filter(isShown),
    rows.map((row) => row.filter(isShown)),
    room,
    style.paint.dim,
  );
}

function rowOf(listing: RunListing, cost: Spent | undefined, now: number, style: Style): readonly Cell[] {
  const { paint } = style;
  const status = listing.kind === 'run' ? listing.summary.status : 'damaged';
  const { mark, paint: colour } = statusMark(status, style);
  const run: Cell = { text: `${mark} ${listing.run}`, paint: colour };
  if (listing.kind === 'damaged') {
    const why = harmless(`line ${listing.line}: ${listing.why}`);
    return [
      run,
      { text: '' },
      { text: status, paint: colour },
      { text: '' },
      { text: '' },
      { text: '' },
      { text: '' },
      { text: '' },
      { text: why },
    ];
  }
  const { node, steps, started_at: began } = listing.summary;
  return [
    run,
    { text: harmless(node), paint: paint.bold },
    { text: status, paint: colour },
    { text: harmless(placeOf(listing.summary)) },
    { text: String(steps) },
    { text: cost === undefined ? '' : String(cost.tokens) },
    { text: cost === undefined ? '' : costText(cost) },
    { text: ageText(began, now), paint: paint.dim },
    { text: harmless(noteOf(listing.summary)), paint: paint.dim },
  ];
}

/** Returns the current block; a block of the start node by its short name. */
const placeOf = ({ node, block }: RunSummary): string => shortBlock(block, node);

/** Returns a note: open halts, the failure, or the origin of a fork. */
function noteOf({ status, halts, reason, forked_from: from }: RunSummary): string {
  const waits = status === 'completed' || status === 'cancelled' ? [] : halts.map(({ why }) => why as string);
  return [
    ...(waits.length > 1 ? [`${waits.length} wait: ${waits.join(', ')}`] : waits),
    ...(status === 'failed' && reason !== null ? [reason] : []),
    ...(from === null ? [] : [`from ${from.run}@${from.step}`]),
  ].join(', ');
}

/** Returns a command for the newest run of each state that allows one. */
function suggestions(listings: readonly RunListing[]): readonly string[] {
  const newest = (...statuses: readonly string[]): string | null =>
    listings.find((one) => one.kind === 'run' && statuses.includes(one.summary.status))?.run ?? null;
  const cutOff = newest('interrupted', 'paused');
  const failed = newest('failed');
  return [
    ...(listings.some((one) => one.kind === 'run' && one.summary.halts.length > 0) ? ['robosmith inbox'] : []),
    ...(cutOff === null ? [] : [`robosmith resume ${cutOff}`]),
    ...(failed === null || cutOff !== null ? [] : [`robosmith resume ${failed} --retry`]),
    ...(listings.some(({ kind }) => kind === 'damaged') ? ['robosmith doctor'] : []),
  ];
}
