import { projectSessions, sessionHistory } from '#engine/index.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import { BASE_SIDE, clashLines } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { isInTurn, nameText, noteOf } from '../print/sessions.ts';
import { resolvingSteps } from '../sessions/resolving-steps.ts';
import { harmless, styleFor } from '../print/style.ts';
import { whenText } from '../print/time-text.ts';
import { inProject } from '../project/in-project.ts';
import { findSession } from '../sessions/find-session.ts';

export interface SessionsShowOptions {
  readonly json?: true;
}

/** Finds a session by id, title or branch, and returns it with its relations to the other sessions. */
async function listingOf(name: string, root: string, io: CliIo): Promise<SessionListing | null> {
  const listings = await projectSessions(root, { environment: io.env });
  const { id } = findSession(
    name,
    listings.map(({ session }) => session),
  );
  return listings.find(({ session }) => session.id === id) ?? null;
}

/** Prints one session: its worktree, plan, dependencies, history, and the commands for it. */
export const sessionsShow = (name: string, options: SessionsShowOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const listing = await listingOf(name, root, io);
    if (listing === null) return 1;
    const history = sessionHistory(root, listing.session.id);
    if (options.json === true) printJson({ ok: true, ...listing, history: history.map(withoutItself) }, io.stdout);
    else print(listing, history, io);
    return 0;
  });

const withoutItself = ({ time, from, to, by, why }: SessionMoved) => ({ time, from, to, by, why });

const list = (items: readonly string[]): string => {
  const shown = items.slice(0, 8).join(', ');
  return items.length > 8 ? `${shown}, and ${String(items.length - 8)} more` : shown;
};

function baseText({ base, baseBranch }: Session): string {
  if (base === null) return baseBranch;
  const from = `${base.branch} at ${base.commit.slice(0, 10)}`;
  return base.branch === baseBranch ? from : `${from}; it will be merged into ${baseBranch}`;
}

const NOT_COMPARED = 'the changes of sessions were not compared: it took too long, or git is older than 2.38';

function print(listing: SessionListing, history: readonly SessionMoved[], io: CliIo): void {
  const { session, overlap, clashes, conflicts, order } = listing;
  const { paint } = styleFor(io.stdout, io);
  const { id, title, state, branch, worktree, plan, changed, runs, ports } = session;
  const facts: readonly (readonly [string, string])[] = [
    ['state', [state, ...(order === null ? [] : [order]), noteOf(listing)].filter((text) => text !== '').join('; ')],
    ['branch', branch],
    ['base', baseText(session)],
    ['worktree', worktree === null ? 'none' : shownPath(worktree, io)],
    ...session.remarks.map((remark) => ['remark', remark] as const),
    ['ports', ports === null ? '' : `${String(ports.first)} to ${String(ports.first + ports.count - 1)}`],
    ['plan', list(plan)],
    ['changed', list(changed)],
    ['health', healthText(listing, io)],
    ['overlap', conflicts === null ? `${overlap}; ${NOT_COMPARED}` : overlap],
    ...clashes.map((clash) => ['clash', `${clash.with.title} (${clash.with.id}): ${list(clash.files)}`] as const),
    ...(conflicts ?? []).map((met) => ['conflict', `${nameText(met.with)}: ${list(met.files)}`] as const),
    ['runs', runs.join(', ')],
  ];
  io.stdout.write(`${paint.bold(harmless(title))} (${id})\n`);
  for (const [name, text] of facts)
    if (text !== '')
      for (const line of fitLines(
        `  ${paint.dim(name.padEnd(9))} ${harmless(text)}`,
        roomOn(io.stdout),
        ' '.repeat(12),
      ))
        io.stdout.write(`${line}\n`);
  for (const met of conflicts ?? []) printHunks(met, io);
  for (const met of listing.semantics) printClashes(met, io);
  printHistory(history, io);
  printNext(nextSteps(listing), io);
}

/** The maximum number of conflicts shown; `--json` has all. */
const MOST_HUNKS = 3;
const MOST_LINES = 14;

/** Prints where a merge with another session's work would conflict. */
function printHunks({ with: other, hunks }: NonNullable<SessionListing['conflicts']>[number], io: CliIo): void {
  const { paint } = styleFor(io.stdout, io);
  for (const { file, line, text } of hunks.slice(0, MOST_HUNKS)) {
    const lines = text.split('\n');
    io.stdout.write(`\n  ${paint.bold(harmless(`${file}:${String(line)}`))} with ${harmless(other.title)}\n`);
    for (const one of lines.slice(0, MOST_LINES)) io.stdout.write(`    ${harmless(one)}\n`);
    if (lines.length > MOST_LINES) io.stdout.write(`    ${paint.dim(`… ${String(lines.length - MOST_LINES)} more`)}\n`);
  }
  const more = hunks.length - MOST_HUNKS;
  if (more > 0) io.stdout.write(`\n  ${paint.dim(`and ${String(more)} more places: --json has them`)}\n`);
}

/** Prints changes that git would merge without a conflict, but that do not fit together. */
function printClashes({ with: other, clashes }: SessionListing['semantics'][number], io: CliIo): void {
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`\n  ${paint.bold(`does not fit together with ${harmless(nameText(other))}`)}\n`);
  for (const clash of clashes.slice(0, MOST_HUNKS))
    for (const line of clashLines(clash)) io.stdout.write(`    ${harmless(line)}\n`);
  const more = clashes.length - MOST_HUNKS;
  if (more > 0) io.stdout.write(`    ${paint.dim(`and ${String(more)} more: --json has them`)}\n`);
}

/** The maximum number of history entries shown; `--json` has all. */
const MOST_MOVES = 12;

/** Prints the history, newest entry last. */
function printHistory(history: readonly SessionMoved[], io: CliIo): void {
  if (history.length < 2) return;
  const { paint } = styleFor(io.stdout, io);
  const more = history.length - MOST_MOVES;
  io.stdout.write(`\n  ${paint.dim(more > 0 ? `history, without the first ${String(more)}` : 'history')}\n`);
  for (const { time, to, why } of history.slice(-MOST_MOVES)) {
    const [first = ''] = (why ?? '').split('\n');
    const entry = `  ${paint.dim(whenText(time))}  ${to}${first === '' ? '' : paint.dim(`: ${harmless(first)}`)}`;
    for (const line of fitLines(entry, roomOn(io.stdout), '    ')) io.stdout.write(`${line}\n`);
  }
}

function healthText({ health }: SessionListing, io: CliIo): string {
  const { symbols } = styleFor(io.stdout, io);
  const { colour, reason } = health;
  if (colour === 'red') return `${symbols.bad} action required: ${reason}`;
  return `${colour === 'green' ? symbols.ok : symbols.warn} ${reason}`;
}

/** Suggests commands for a queued session: to show the sessions that it waits for, or else to start the host. */
function nextOfQueued(listing: SessionListing): readonly string[] {
  const { session, waits } = listing;
  const [other] = waits?.for ?? [];
  return [
    ...(isInTurn(listing) ? ['robosmith host start'] : []),
    ...(other === undefined ? [] : [`robosmith sessions show ${other.id}`]),
    `robosmith sessions withdraw ${session.id}`,
  ];
}

/** Suggests a merge, but not first if other work clashes: an update, or a look at the other session comes before. */
function mergeSteps({ session: { id, changed, why }, conflicts, semantics }: SessionListing): readonly string[] {
  const met = [...(conflicts ?? []), ...semantics].map((one) => one.with.id);
  const update = why === null ? [`robosmith sessions update ${id}`] : [];
  if (met.includes(BASE_SIDE)) return update;
  const [other] = met;
  const merge = changed.length === 0 ? [] : [`robosmith sessions merge ${id}`];
  return other === undefined ? merge : [`robosmith sessions show ${other}`, ...merge];
}

function nextSteps(listing: SessionListing): readonly string[] {
  const { session } = listing;
  const { id, state, why, runs } = session;
  if (isInConflict(session)) return [...resolvingSteps(id), ...(state === 'halted' ? ['robosmith inbox'] : [])];
  switch (state) {
    case 'draft':
      return [`robosmith sessions submit ${id}`];
    case 'queued':
      return nextOfQueued(listing);
    case 'ready':
      if (listing.health.colour === 'red') return [`robosmith sessions terminal ${id}`, 'robosmith worktrees'];
      return [
        // After a refused merge the base has usually moved, so an update comes first.
        ...(why === null ? [] : [`robosmith sessions update ${id}`]),
        ...mergeSteps(listing),
        `robosmith sessions terminal ${id}`,
        `robosmith sessions discard ${id}`,
      ];
    case 'halted':
      return ['robosmith inbox'];
    case 'failed':
      return [
        ...runs.slice(-1).map((run) => `robosmith runs show ${run}`),
        `robosmith sessions resume ${id}`,
        `robosmith sessions discard ${id}`,
      ];
    case 'held':
      return [`robosmith sessions resume ${id}`];
    case 'discarded':
      return [`robosmith sessions restore ${id}`];
    default:
      return [];
  }
}
