import type { RunListing } from '#engine/index.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ageText } from './age.ts';
import { printNext } from './problem.ts';
import { shortBlock } from './short-block.ts';
import { statusMark } from './status.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'run' },
  { heading: 'started from', least: 8 },
  { heading: 'status' },
  { heading: 'at', least: 12, drop: 3 },
  { heading: 'steps', right: true, drop: 1 },
  { heading: 'age', right: true, drop: 2 },
  { heading: '', least: 10, drop: 4 },
];

/** Prints the runs, newest first, and suggested commands. */
export function printRuns(listings: readonly RunListing[], io: CliIo): void {
  if (listings.length === 0) {
    io.stdout.write('No runs yet in this project.\n');
    printNext(['robosmith manifest show', 'robosmith run --help'], io);
    return;
  }
  for (const line of runLines(listings, io)) io.stdout.write(`${line}\n`);
  printNext(suggestions(listings), io);
}

/** Returns the lines of the table of runs. */
export function runLines(listings: readonly RunListing[], io: CliIo): readonly string[] {
  const style = styleFor(io.stdout, io);
  const now = Date.now();
  const room = roomOn(io.stdout);
  const rows = listings.map((listing) => rowOf(listing, now, style));
  return tableLines(COLUMNS, rows, room, style.paint.dim);
}

function rowOf(listing: RunListing, now: number, style: Style): readonly Cell[] {
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
