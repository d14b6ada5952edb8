import type { SessionListing } from '#engine/index.ts';
import type { QueueSignal, SessionState, SessionView } from '#protocol/session.ts';
import type { CliIo } from '../cli-io.ts';
import { ageText } from './age.ts';
import { sumText } from './money.ts';
import { printNext } from './problem.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'session' },
  { heading: 'title', least: 14 },
  { heading: 'state' },
  { heading: 'overlap' },
  { heading: 'order' },
  { heading: 'at', least: 12 },
  { heading: 'steps', right: true },
  { heading: 'tokens', right: true },
  { heading: 'cost', right: true },
  { heading: 'age', right: true },
  { heading: '', least: 12 },
];

/** A session's state at a glance. */
function stateMark(queue: QueueSignal, state: SessionState, { paint, symbols }: Style) {
  if (state === 'failed') return { mark: symbols.bad, colour: paint.red };
  if (state === 'discarded') return { mark: symbols.skipped, colour: paint.dim };
  const marks = {
    draft: { mark: symbols.dot, colour: paint.dim },
    running: { mark: symbols.start, colour: paint.cyan },
    queued: { mark: symbols.dot, colour: paint.yellow },
    held: { mark: symbols.halt, colour: paint.blue },
    complete: { mark: symbols.ok, colour: paint.green },
    halted: { mark: symbols.halt, colour: paint.magenta },
  } as const;
  return marks[queue];
}

const nameText = ({ id, title }: { readonly id: string; readonly title: string }): string => `${title} (${id})`;

/** Why it does not move, or what it clashes with. */
export function noteOf({ session, waits, clashes, conflicts }: SessionView): string {
  if (waits?.why === 'slot') return 'waits for a free place';
  if (waits?.why === 'dependency') return `waits for ${waits.for.map(nameText).join(', ')} to be merged`;
  if (waits?.why === 'clash') {
    const files = clashes
      .filter(({ with: other }) => waits.for.some(({ id }) => id === other.id))
      .flatMap((one) => one.files);
    return `waits for ${waits.for.map(nameText).join(', ')}: ${files.slice(0, 3).join(', ')}`;
  }
  if (session.why !== null) return session.why.split('\n')[0] ?? '';
  const [met] = conflicts ?? [];
  if (met !== undefined) return `in conflict with ${nameText(met.with)}: ${met.files.slice(0, 3).join(', ')}`;
  const [first, ...others] = clashes;
  if (first === undefined) return '';
  return `${nameText(first.with)}: ${first.files.slice(0, 3).join(', ')}${others.length > 0 ? `, and ${String(others.length)} more` : ''}`;
}

/** A block of the node that it was started from goes by its short name. */
function placeOf({ run, session }: SessionListing): string {
  if (run === null || (session.state !== 'running' && session.state !== 'halted' && session.state !== 'failed'))
    return '';
  return run.block.startsWith(`${run.node}__`) ? run.block.slice(run.node.length + 2) : run.block;
}

function rowOf(listing: SessionListing, now: number, style: Style): readonly Cell[] {
  const { session, overlap, queue, order, run, calls } = listing;
  const { paint } = style;
  const { mark, colour } = stateMark(queue, session.state, style);
  return [
    { text: `${mark} ${session.id}`, paint: colour },
    { text: harmless(session.title), paint: paint.bold },
    { text: session.state, paint: colour },
    { text: overlap, paint: overlap.startsWith('Clash') ? paint.red : paint.dim },
    { text: order ?? '' },
    { text: harmless(placeOf(listing)) },
    { text: run === null ? '' : String(run.steps) },
    { text: calls === null ? '' : String(calls.input + calls.output) },
    { text: calls === null ? '' : sumText(calls.micro_usd, calls.unknown) },
    { text: ageText(session.createdAt, now), paint: paint.dim },
    { text: harmless(noteOf(listing)), paint: paint.dim },
  ];
}

/** Lines of the table, without what is over unless `all`. */
export function sessionLines(listings: readonly SessionListing[], all: boolean, io: CliIo): readonly string[] {
  const style = styleFor(io.stdout, io);
  const shown = all
    ? listings
    : listings.filter(({ session: { state } }) => state !== 'merged' && state !== 'discarded');
  const room = io.stdout.isTerminal ? io.stdout.columns() : Number.POSITIVE_INFINITY;
  const now = Date.now();
  if (shown.length === 0) return [];
  return tableLines(
    COLUMNS,
    shown.map((one) => rowOf(one, now, style)),
    room,
    style.paint.dim,
  );
}

/** All that are not over, and below what can be done with them. */
export function printSessions(listings: readonly SessionListing[], all: boolean, io: CliIo): void {
  const lines = sessionLines(listings, all, io);
  const over = listings.length - Math.max(0, lines.length - 1);
  if (lines.length === 0) io.stdout.write('No sessions under way in this project.\n');
  for (const line of lines) io.stdout.write(`${line}\n`);
  if (over > 0 && !all) io.stdout.write(`${String(over)} that are over: robosmith sessions --all\n`);
  if (lines.length > 0) io.stdout.write('Overlap is of plans and files; symbols are not checked: no code index.\n');
  if (listings.some(({ conflicts }) => conflicts === null))
    io.stdout.write('The work done was not compared: that took too long, or git is older than 2.38.\n');
  printNext(suggestions(listings), io);
}

function suggestions(listings: readonly SessionListing[]): readonly string[] {
  const first = (state: SessionState): string | null =>
    listings.find(({ session }) => session.state === state)?.session.id ?? null;
  const [ready, held, halted] = [first('ready'), first('held'), first('halted')];
  return [
    ...(ready === null ? [] : [`robosmith sessions merge ${ready}`]),
    ...(halted === null ? [] : ['robosmith inbox']),
    ...(held === null ? [] : [`robosmith sessions resume ${held}`]),
    ...(listings.length === 0 ? ['robosmith run --help', 'robosmith sessions new --help'] : []),
  ];
}
