import { verifyingGraph } from '#engine/authoring.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { SessionId } from '#protocol/id.ts';
import { type Disposed, MERGE_STRATEGIES, type MergeChoices } from '#protocol/session-api.ts';
import { shownPath } from '../names/shown-path.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { waitsFor } from '../run/begin-in-session.ts';
import { findSession } from '../sessions/find-session.ts';
import { adoptSession } from '../sessions/adopt-session.ts';
import { mayBegin } from '../sessions/may-begin.ts';
import {
  type SessionsAtHand,
  tellDisposed,
  tellSession,
  withSession,
  withSessions,
} from '../sessions/with-sessions.ts';
import { askVerifying, confirmTrust } from '../trust/ask-trust.ts';
import { usageError } from '../terminal/usage-error.ts';

interface Json {
  readonly json?: true;
}

export interface SessionsMergeOptions extends Json {
  readonly strategy?: string;
  readonly message?: string;
  readonly verify?: true;
  readonly trust?: true;
}

/** The same, typed again by somebody who trusts the project. */
const trustingMerge = (id: SessionId, { strategy, message }: SessionsMergeOptions): string =>
  [
    ...['robosmith', 'sessions', 'merge', id],
    ...(strategy === undefined ? [] : ['--strategy', strategy]),
    ...(message === undefined ? [] : ['--message', message]),
    ...['--verify', '--trust'],
  ]
    .map(shellWord)
    .join(' ');

/** Asks for what the manifest runs to verify. Throws a usage error where nobody trusts it. */
async function checkVerifying(session: Session, options: SessionsMergeOptions, root: string, io: CliIo): Promise<void> {
  const graph = options.verify === true ? await verifyingGraph(session, root) : null;
  if (graph === null || (await askVerifying(graph, root, options.trust === true, io))) return;
  throw usageError('Nothing was changed: the command that verifies the merge is not trusted yet.', [
    trustingMerge(session.id, options),
  ]);
}

function strategyOf(text = 'squash'): MergeChoices['strategy'] {
  const strategy = MERGE_STRATEGIES.find((one) => one === text);
  if (strategy !== undefined) return strategy;
  throw usageError(`--strategy is ${MERGE_STRATEGIES.join(', ')}, not "${text}".`, ['robosmith sessions merge --help']);
}

/** Files stand in the way of a merge in the base as it is; a rebase leaves out what was merged before. */
function onward(id: SessionId, strategy: MergeChoices['strategy'], disposed: Disposed): readonly string[] {
  if (disposed.ok || disposed.files.length === 0) return [`robosmith sessions show ${id}`];
  const update = `robosmith sessions update ${id}`;
  return strategy === 'rebase' ? [`robosmith sessions merge ${id}`, update] : [update];
}

/** The session's work onto its base. */
export function sessionsMerge(name: string, options: SessionsMergeOptions, io: CliIo): Promise<number> {
  const strategy = strategyOf(options.strategy);
  return withSession(name, options, io, async (session, { api, root }) => {
    const { message = null, verify = false } = options;
    const { id } = session;
    await checkVerifying(session, options, root, io);
    const disposed = await api.merge(id, { strategy, message, verify });
    return tellDisposed(disposed, 'is merged', onward(id, strategy, disposed), options, io);
  });
}

export interface SessionsDiscardOptions extends Json {
  readonly force?: true;
  readonly yes?: true;
}

/** Worktree and branch go; a recovery ref keeps what was in them. */
export const sessionsDiscard = (name: string, options: SessionsDiscardOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id, title }, { api }) => {
    const isAsked = options.yes === true || options.force === true;
    if (!isAsked && !io.interactive)
      throw usageError('Add --yes: confirmation is not possible here, because this is not a terminal.', [
        `robosmith sessions discard ${id} --yes`,
      ]);
    if (!isAsked && !(await confirmTrust(`Discard "${title}", its branch and its worktree?`))) return 2;
    const disposed = await api.discard(id, { force: options.force === true });
    return tellDisposed(disposed, 'is discarded', [`robosmith sessions discard ${id} --force`], options, io);
  });

export interface SessionsHoldOptions extends Json {
  readonly release?: true;
}

/** Sets it aside, with the state of its run on its branch. */
export const sessionsHold = (name: string, options: SessionsHoldOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const disposed = await api.hold(id, { release: options.release === true });
    return tellDisposed(disposed, 'is held', [`robosmith sessions show ${id}`], options, io);
  });

export interface SessionsPushOptions extends Json {
  readonly pr?: true;
}

/** Its branch onto the remote, and a pull request of it. */
export const sessionsPush = (name: string, options: SessionsPushOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const disposed = await api.push(id, { pr: options.pr === true });
    return tellDisposed(disposed, 'is pushed', [`robosmith sessions show ${id}`], options, io);
  });

/** A discarded one comes back. */
export const sessionsRestore = (name: string, options: Json, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const end = await api.restore(id);
    const told = end.ok ? { ...end, notes: [...end.notes, ...whereIs(end.session, io)] } : end;
    return tellDisposed(told, 'is back', [`robosmith sessions show ${id}`], options, io);
  });

const whereIs = ({ worktree }: Session, io: CliIo): readonly string[] =>
  worktree === null ? [] : [`in ${shownPath(worktree, io)}`];

const MOVED = { submit: '', withdraw: 'is out of the queue: it ', resume: 'goes on: it ' } as const;

/** Of this clone, or, to go on with, of a branch that another one has held. */
async function meant(
  verb: keyof typeof MOVED,
  name: string,
  trust: boolean,
  { api, sessions }: SessionsAtHand,
  io: CliIo,
): Promise<Session> {
  const isKnown = sessions.some(({ id, title, branch }) => [id, title, branch].includes(name));
  return verb === 'resume' && name.includes('/') && !isKnown
    ? adoptSession(name, trust, api, io)
    : findSession(name, sessions);
}

export interface SessionsMoveOptions extends Json {
  readonly trust?: true;
}

/** Into the queue, and out of it. What a person works in is made at once, what runs is left to a host. */
export const sessionsMove = (
  verb: keyof typeof MOVED,
  name: string,
  options: SessionsMoveOptions,
  io: CliIo,
): Promise<number> =>
  withSessions({ ...options, runs: verb !== 'withdraw' }, io, async (at) => {
    const { api, root, starts } = at;
    const found = await meant(verb, name, options.trust === true, at, io);
    if (verb === 'resume' && !(await mayBegin(found, options.trust === true, root, io))) return 2;
    const { id, job, resolving } = found;
    const isByHand = job === null && resolving === null;
    if (isByHand) starts.add(id);
    // What is queued begins with the host that was started for it.
    const isDone = verb === 'submit' && found.state === 'queued';
    const asked = isDone ? await api.change(id, {}) : await api[verb](id);
    const session = isByHand && asked.state === 'creating' ? await api.moved(id, 0) : asked;
    const waits = await waitsFor(session, root);
    const stays = session.state === 'halted' ? session.why : null;
    const notes = [...whereIs(session, io), ...[waits ?? stays].filter((one) => one !== null)];
    return tellSession(session, `${MOVED[verb]}is ${session.state}`, notes, options, io);
  });
