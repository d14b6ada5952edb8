import type { DiskUse } from '#engine/index.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import type { RunId } from '#protocol/id.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { BASE_SIDE, clashSummary } from '#protocol/semantic-clash.ts';
import {
  hasEnded,
  type QueueSignal,
  type SessionName,
  type SessionState,
  type SessionView,
} from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ageText } from './time-text.ts';
import { bytesText, costText } from '#protocol/amount-text.ts';
import { spentIn } from '#protocol/call-record.ts';
import { printNext } from './problem.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { shortBlock } from './short-names.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';

/** The heading of the queue column, and whether there is a column for disk usage. */
interface SessionColumns {
  readonly queue: 'state' | 'queue';
  readonly disk?: DiskUse | null;
}

const columnsOf = ({ queue }: SessionColumns): readonly Column[] => [
  { heading: 'session' },
  { heading: 'title', least: 14 },
  { heading: 'health', drop: 11 },
  { heading: queue },
  { heading: 'overlap', drop: 10 },
  { heading: 'order', drop: 6 },
  { heading: 'at', least: 12, drop: 7 },
  { heading: 'attempt', right: true, drop: 2 },
  { heading: 'steps', right: true, drop: 1 },
  { heading: 'tokens', right: true, drop: 3 },
  { heading: 'cost', right: true, drop: 5 },
  { heading: 'disk', right: true, drop: 8 },
  { heading: 'age', right: true, drop: 4 },
  { heading: '', least: 24, drop: 9 },
];

/** The maximum number of lines of a note. */
const MOST_LINES = 4;

/** The screen width in columns below which notes are printed on separate lines. */
const NARROW = 130;

/** Returns the mark and colour of a session's state. */
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

/** Uses a mark and a word beside the colour, for people who can't distinguish colours. */
function healthMark({ colour, reason }: SessionListing['health'], { paint, symbols }: Style) {
  if (colour === 'green') return { text: `${symbols.ok} clean`, paint: paint.green };
  if (colour === 'red') return { text: `${symbols.bad} action`, paint: paint.red };
  const word = /^[a-z]+/.exec(reason)?.[0] ?? 'look';
  return { text: `${symbols.warn} ${word}`, paint: paint.yellow };
}

const sizeText = (disk: DiskUse | null | undefined, id: string): string => {
  const size = disk?.worktrees.find(({ session }) => session === id)?.size ?? null;
  return size === null ? '' : `${size.isWhole ? '' : '> '}${bytesText(size.bytes)}`;
};

/** Returns the name of a session, or of a base branch. */
export const nameText = ({ id, title }: SessionName): string => (id === BASE_SIDE ? title : `${title} (${id})`);

/** Returns whether the session waits only for a process that starts it. */
export const isInTurn = ({ session, waits }: SessionView): boolean => session.state === 'queued' && waits === null;

function semanticNote([met]: SessionView['semantics']): string {
  const [clash] = met?.clashes ?? [];
  return met === undefined || clash === undefined ? '' : `${nameText(met.with)} ${clashSummary(clash)}`;
}

/** Explains what the session waits for, or which session it clashes with. */
export function noteOf(view: SessionView): string {
  const { session, waits, clashes, conflicts, semantics } = view;
  if (waits?.why === 'slot') return 'waits for a free slot: the maximum of parallel sessions is running';
  if (waits?.why === 'dependency') return `waits for ${waits.for.map(nameText).join(', ')} to be merged`;
  if (waits?.why === 'clash') {
    const files = clashes
      .filter(({ with: other }) => waits.for.some(({ id }) => id === other.id))
      .flatMap((one) => one.files);
    return `waits for ${waits.for.map(nameText).join(', ')}: ${[...new Set(files)].slice(0, 3).join(', ')}`;
  }
  if (isInTurn(view)) return 'it is next in the queue: start it with robosmith host start';
  if (session.why !== null) return session.why.split('\n')[0] ?? '';
  const [met] = conflicts ?? [];
  if (met !== undefined) return `in conflict with ${nameText(met.with)}: ${met.files.slice(0, 3).join(', ')}`;
  const [first, ...others] = clashes;
  if (first === undefined) return semanticNote(semantics);
  return `clashes with ${nameText(first.with)}: ${first.files.slice(0, 3).join(', ')}${others.length > 0 ? `, and ${String(others.length)} more` : ''}`;
}

/** Returns the current block; a block of the start node by its short name. */
function placeOf({ run, session }: SessionListing): string {
  if (run === null || (session.state !== 'running' && session.state !== 'halted' && session.state !== 'failed'))
    return '';
  return shortBlock(run.block, run.node);
}

/** Returns the session's run if it was interrupted; null if it is active or has ended. */
export const cutOffRun = ({ session, run }: SessionListing): RunId | null =>
  session.state === 'running' && (run?.status === 'interrupted' || run?.status === 'paused') ? run.run : null;

/** Returns the remark for a session; none for normal work. */
function remarkOf(listing: SessionListing): string {
  const run = cutOffRun(listing);
  if (run !== null) return `no process runs it: robosmith resume ${run}`;
  const { colour, reason } = listing.health;
  const note = noteOf(listing);
  return note === '' && colour !== 'green' && reason !== 'working' ? reason : note;
}

function rowOf(listing: SessionListing, now: number, style: Style, shown: SessionColumns): readonly Cell[] {
  const { session, overlap, queue, order, run, calls, health, attempt } = listing;
  const { paint } = style;
  const { mark, colour } =
    cutOffRun(listing) === null
      ? stateMark(queue, session.state, style)
      : { mark: style.symbols.halt, colour: paint.yellow };
  return [
    { text: `${mark} ${session.id}`, paint: colour },
    { text: harmless(session.title), paint: paint.bold },
    healthMark(health, style),
    { text: shown.queue === 'queue' && !hasEnded(session) ? queue : session.state, paint: colour },
    { text: hasEnded(session) ? '' : overlap, paint: overlap.startsWith('Clash') ? paint.red : paint.dim },
    { text: order ?? '' },
    { text: harmless(placeOf(listing)) },
    { text: attempt === null ? '' : String(attempt) },
    { text: run === null ? '' : String(run.steps) },
    { text: calls === null ? '' : String(calls.input + calls.output) },
    { text: calls === null ? '' : costText(spentIn(calls)) },
    { text: sizeText(shown.disk, session.id) },
    { text: ageText(session.createdAt, now), paint: paint.dim },
    { text: harmless(remarkOf(listing)).replaceAll('\n', ' '), paint: paint.dim },
  ];
}

/** Returns the sessions that are neither merged nor discarded. */
export const unfinishedSessions = (listings: readonly SessionListing[]): readonly SessionListing[] =>
  listings.filter(({ session }) => !hasEnded(session));

/** Returns the lines of the table; on narrow screens, notes stand below their session. */
export function sessionLines(shown: readonly SessionListing[], io: CliIo, columns: SessionColumns): readonly string[] {
  if (shown.length === 0) return [];
  const style = styleFor(io.stdout, io);
  const { dim } = style.paint;
  const room = roomOn(io.stdout);
  const now = Date.now();
  const rows = shown.map((one) => rowOf(one, now, style, columns));
  if (room >= NARROW) return tableLines(columnsOf(columns), rows, room, dim);
  const notes = rows.map((row) => row.at(-1)?.text ?? '');
  const [heading = '', ...lines] = tableLines(
    columnsOf(columns),
    rows.map((row) => row.slice(0, -1)),
    room,
    dim,
  );
  const below = (note: string): readonly string[] => {
    if (note === '') return [];
    const all = fitLines(`    ${note}`, room, '    ');
    const lines = all.slice(0, MOST_LINES);
    return (all.length > MOST_LINES ? [...lines.slice(0, -1), '    …'] : lines).map(dim);
  };
  return [heading, ...lines.flatMap((line, index) => [line, ...below(notes[index] ?? '')])];
}

/** Returns whether the session has changed files whose symbols were not compared with those of other sessions. */
const isNotCompared = ({ overlap, session }: SessionListing): boolean =>
  overlap === 'Unchecked' && session.changed.length > 0 && !hasEnded(session);

const NOT_COMPARED =
  'Unchecked: compared by plan and file only. The next list compares the symbols that are left, and a host does so in the background (robosmith host start).';

/** Says that git has not compared the changes of sessions; empty if it has. */
export const notComparedNote = (listings: readonly SessionListing[]): readonly string[] =>
  listings.some(({ conflicts }) => conflicts === null)
    ? ['The changes of sessions were not compared: it took too long, or git is older than 2.38.']
    : [];

/** Prints the sessions under way, and suggested commands. */
export function printSessions(listings: readonly SessionListing[], all: boolean, io: CliIo): void {
  const shown = all ? listings : unfinishedSessions(listings);
  const lines = sessionLines(shown, io, { queue: 'state' });
  const over = listings.length - shown.length;
  const notes = [
    ...(lines.length === 0 ? ['No active sessions in this project.'] : []),
    ...(over > 0 ? [`${String(over)} ${over === 1 ? 'has' : 'have'} ended: robosmith sessions --all`] : []),
    ...(shown.some(isNotCompared) ? [NOT_COMPARED] : []),
    ...notComparedNote(listings),
  ].flatMap((text) => fitLines(text, roomOn(io.stdout)));
  for (const line of [...lines, ...notes]) io.stdout.write(`${line}\n`);
  printNext(suggestions(listings), io);
}

/** Returns whether a merge may succeed: there is something to merge, nothing clashes, and no merge was refused before. */
const mayMerge = ({ session, overlap, health }: SessionListing): boolean =>
  session.why === null && session.changed.length > 0 && !overlap.startsWith('Clash') && health.colour !== 'red';

function suggestions(listings: readonly SessionListing[]): readonly string[] {
  const first = (state: SessionState): string | null =>
    listings.find(({ session }) => session.state === state && (state === 'halted' || !isInConflict(session)))?.session
      .id ?? null;
  const conflict = listings.find(({ session }) => isInConflict(session))?.session.id ?? null;
  const [held, halted] = [first('held'), first('halted')];
  const ready = listings.filter(({ session }) => session.state === 'ready' && !isInConflict(session));
  const [mergeable, seeTo] = [ready.find(mayMerge)?.session.id, ready.find((one) => !mayMerge(one))?.session.id];
  const cutOff = listings.map(cutOffRun).find((run) => run !== null) ?? null;
  return [
    ...(cutOff === null ? [] : [`robosmith resume ${cutOff}`]),
    ...(listings.some(isInTurn) ? ['robosmith host start'] : []),
    ...(mergeable === undefined ? [] : [`robosmith sessions merge ${mergeable}`]),
    ...(mergeable === undefined && seeTo !== undefined ? [`robosmith sessions show ${seeTo}`] : []),
    ...(conflict === null ? [] : [`robosmith sessions show ${conflict}`]),
    ...(halted === null ? [] : ['robosmith inbox']),
    ...(held === null ? [] : [`robosmith sessions resume ${held}`]),
    ...(listings.length === 0 ? ['robosmith run --help', 'robosmith sessions new --help'] : []),
  ];
}
