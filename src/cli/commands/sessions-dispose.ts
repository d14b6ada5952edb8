import { verifyingGraph } from '#engine/authoring.ts';
import { commitsBehind, unsavedWork } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { SessionId } from '#protocol/id.ts';
import { type DispositionResult, MERGE_STRATEGIES, type MergeChoices } from '#protocol/session-api.ts';
import { shownPath } from '../names/shown-path.ts';
import { withWaitingLine } from '../print/waiting-line.ts';
import { printRefused } from '../print/refused.ts';
import { harmless } from '../print/style.ts';
import { stateWords } from '../names/state-words.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { queueReason } from '../run/begin-in-session.ts';
import { findSession } from '../sessions/find-session.ts';
import { acceptWork } from '../do/accept-work.ts';
import { adoptSession } from '../sessions/adopt-session.ts';
import { confirmCommands } from '../sessions/confirm-commands.ts';
import {
  type OpenedSessions,
  printDisposition,
  printSessionChange,
  withSession,
  withSessions,
} from '../sessions/with-sessions.ts';
import { askVerifying, confirmTrust, trustTearDown } from '../trust/ask-trust.ts';
import { usageError } from '../terminal/usage-error.ts';

interface Json {
  readonly json?: true;
}

export interface SessionsMergeOptions extends Json {
  readonly strategy?: string;
  readonly message?: string;
  readonly verify?: boolean;
  readonly yes?: true;
  readonly trust?: true;
}

/** Returns the same command with other flags. */
const mergeAgain = (id: SessionId, { strategy, message }: SessionsMergeOptions, ...more: readonly string[]): string =>
  [
    ...['robosmith', 'sessions', 'merge', id],
    ...(strategy === undefined ? [] : ['--strategy', strategy]),
    ...(message === undefined ? [] : ['--message', message]),
    ...more,
  ]
    .map(shellWord)
    .join(' ');

/** Asks whether the command that verifies a merge is trusted. Throws a usage error if it is not. */
async function checkVerifying(session: Session, options: SessionsMergeOptions, root: string, io: CliIo): Promise<void> {
  const { verify, trust } = options;
  const isAsked = verify === true;
  if (verify === false && trust === true)
    throw usageError(
      "--trust and --no-verify can't be combined: --trust allows the tests of the merged files, and --no-verify skips them.",
      [mergeAgain(session.id, options, '--trust'), mergeAgain(session.id, options, '--no-verify')],
    );
  const manifest = await verifyingGraph(session, root);
  if (trust === true && manifest !== null) await trustTearDown(manifest, root, io);
  const graph = verify === false ? null : manifest;
  if (graph === null || (!isAsked && !(await testsByItself(session, graph, root)))) return;
  if (await askVerifying(graph, root, { given: trust === true, isAsked }, io)) return;
  const why = isAsked ? '' : 'Its base has changed, so the merged files are tested first. ';
  throw usageError(`${why}The commands that verify a merge are not trusted yet; nothing was changed.`, [
    mergeAgain(session.id, options, ...(isAsked ? ['--verify'] : []), '--trust'),
    ...(isAsked ? [] : [mergeAgain(session.id, options, '--no-verify')]),
  ]);
}

/** Returns whether a merge runs the tests by default, without a flag for it. */
const testsByItself = async (session: Session, { commands }: Graph, root: string): Promise<boolean> =>
  commands['test'] !== undefined && (await commitsBehind(session, root)) > 0;

function strategyOf(text = 'squash'): MergeChoices['strategy'] {
  const strategy = MERGE_STRATEGIES.find((one) => one === text);
  if (strategy !== undefined) return strategy;
  throw usageError(`--strategy is ${MERGE_STRATEGIES.join(', ')}, not "${text}".`, ['robosmith sessions merge --help']);
}

/** Codes of refusals whose message says what a person must do to the base. After that, the same command succeeds. */
const OF_BASE: ReadonlySet<string | undefined> = new Set(['checkout_blocked', 'base_behind', 'base_moved']);

/** Codes of refusals whose message says what a person must do in the session's worktree. */
const OF_WORKTREE: ReadonlySet<string | undefined> = new Set([
  ...['base_rewound', 'branch_elsewhere', 'dirty', 'merge_under_way', 'missing', 'work_not_saved'],
  'known_key',
]);

/** Returns the commands to suggest after a refused merge: only those that are not refused for the same reason. */
function onward(id: SessionId, strategy: MergeChoices['strategy'], disposed: DispositionResult): readonly string[] {
  const code = disposed.ok ? undefined : disposed.code;
  const merge = `robosmith sessions merge ${id}`;
  if (code === 'nothing_to_merge') return [`robosmith sessions terminal ${id}`, `robosmith sessions discard ${id}`];
  if (OF_BASE.has(code)) return [merge];
  if (OF_WORKTREE.has(code)) return [`robosmith sessions terminal ${id}`];
  if (code !== 'conflict') return [`robosmith sessions show ${id}`];
  const update = `robosmith sessions update ${id}`;
  // A rebase drops the session's own merge commits, so an update does not prevent its conflicts.
  return strategy === 'rebase' ? [merge, update] : [update];
}

/**
 * Returns the commands to suggest after a refused discard. If the discard was forced, they help a person to do what the
 * message says.
 */
const afterDiscard = (id: SessionId, isForced: boolean): readonly string[] =>
  isForced
    ? [`robosmith sessions terminal ${id}`, 'robosmith worktrees']
    : [`robosmith sessions discard ${id} --force`];

/**
 * Shows the changes to a person on a terminal and asks. Returns true if there are none, because the merge itself
 * reports that.
 */
const mayMerge = async (session: Session, root: string, io: CliIo): Promise<boolean> =>
  (await import('../ask/confirm-merge.ts')).confirmMerge(session, root, io);

/** Merges the session's work into its base. Work of `robosmith do` that waits for the person's decision is accepted. */
export function sessionsMerge(name: string, options: SessionsMergeOptions, io: CliIo): Promise<number> {
  const strategy = strategyOf(options.strategy);
  return withSession(name, options, io, async (session, { api, client, root }) => {
    const { message = null, verify = 'when_base_moved' } = options;
    const { id } = session;
    await checkVerifying(session, options, root, io);
    if (io.interactive && options.yes !== true && options.json !== true && !(await mayMerge(session, root, io)))
      return 2;
    await acceptWork(session, client, root);
    const merge = (): Promise<DispositionResult> => api.merge(id, { strategy, message, verify });
    const disposed = await withWaitingLine(`merging ${session.title} into ${session.baseBranch}`, io, merge);
    return printDisposition(disposed, 'is merged', onward(id, strategy, disposed), options, io);
  });
}

export interface SessionsDiscardOptions extends Json {
  readonly force?: true;
  readonly yes?: true;
}

/** Shows what would be lost and asks once. */
async function mayDiscard(session: Session, work: readonly string[], root: string, io: CliIo): Promise<boolean> {
  const { changesOfSession } = await import('../ask/shown-changes.ts');
  if (work.length > 0) (await changesOfSession(session, root, io))?.printFiles();
  for (const message of work) io.stderr.write(`${harmless(message)}\n`);
  const lost = work.length > 0 ? ' This work is nowhere else; it can be restored for 30 days.' : '';
  return confirmTrust(`Discard "${session.title}", its branch and its worktree?${lost}`);
}

/** Removes worktree and branch; a recovery ref keeps their content. */
export const sessionsDiscard = (name: string, options: SessionsDiscardOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async (session, { api, root }) => {
    const { id } = session;
    const isAsked = options.yes === true || options.force === true;
    const work = isAsked ? [] : await unsavedWork(session, root);
    const hasWork = work.length > 0;
    if (!isAsked && !io.interactive)
      throw usageError('Confirmation is not possible here, because this is not a terminal.', [
        `robosmith sessions discard ${id} ${hasWork ? '--force' : '--yes'}`,
      ]);
    if (!isAsked && !(await mayDiscard(session, work, root, io))) return 2;
    // A person who has seen and confirmed what would be lost needs no second confirmation.
    const force = options.force === true || hasWork;
    const disposed = await api.discard(id, { force });
    return printDisposition(disposed, 'is discarded', afterDiscard(id, force), options, io);
  });

export interface SessionsHoldOptions extends Json {
  readonly release?: true;
}

/** Puts a session on hold; the state of its run is committed to its branch. */
export const sessionsHold = (name: string, options: SessionsHoldOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const disposed = await api.hold(id, { release: options.release === true });
    return printDisposition(disposed, 'is held', [`robosmith sessions show ${id}`], options, io);
  });

export interface SessionsPushOptions extends Json {
  readonly pr?: true;
}

/** Pushes the session's branch, and creates its pull request or prints the existing one. */
export const sessionsPush = (name: string, options: SessionsPushOptions, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const disposed = await api.push(id, { pr: options.pr === true });
    return printDisposition(disposed, 'is pushed', [`robosmith sessions show ${id}`], options, io);
  });

/** Restores a discarded session. */
export const sessionsRestore = (name: string, options: Json, io: CliIo): Promise<number> =>
  withSession(name, options, io, async ({ id }, { api }) => {
    const end = await api.restore(id);
    const withPlace = end.ok ? { ...end, notes: [...end.notes, ...whereIs(end.session, io)] } : end;
    return printDisposition(withPlace, 'is restored', [`robosmith sessions show ${id}`], options, io);
  });

const whereIs = ({ worktree }: Session, io: CliIo): readonly string[] =>
  worktree === null ? [] : [`in ${shownPath(worktree, io)}`];

const MOVED = { submit: '', withdraw: 'was removed from the queue: it ', resume: 'is resumed: it ' } as const;

/** Finds the session in this clone, or, to resume it, on a branch that another clone put on hold. */
async function meant(
  verb: keyof typeof MOVED,
  name: string,
  trust: boolean,
  { api, sessions }: OpenedSessions,
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

/**
 * Queues, withdraws or resumes a session. A session for a person is created at once; one with a run is left to the
 * host.
 */
export const sessionsMove = (
  verb: keyof typeof MOVED,
  name: string,
  options: SessionsMoveOptions,
  io: CliIo,
): Promise<number> =>
  withSessions({ ...options, runs: verb !== 'withdraw' }, io, async (at) => {
    const { api, root } = at;
    const found = await meant(verb, name, options.trust === true, at, io);
    if (verb === 'resume' && !(await confirmCommands(found, options.trust === true, root, io))) return 2;
    const { id, job, resolving } = found;
    const isByHand = job === null && resolving === null;
    // A queued session is started by the host, so its submission is complete.
    const isDone = verb === 'submit' && found.state === 'queued';
    const asked = isDone ? await api.change(id, {}) : await api[verb](id);
    const session = isByHand && asked.state === 'creating' ? await api.moved(id, 0) : asked;
    if (session.state === 'failed') {
      const message = `${session.title} (${id}) could not be created: ${harmless(session.why ?? '')}`;
      return printRefused({ code: 'refused', message, next: [`robosmith sessions show ${id}`] }, 1, options, io);
    }
    const waits = await queueReason(session, root);
    const stays = session.state === 'halted' ? session.why : null;
    const notes = [...whereIs(session, io), ...session.remarks, ...[waits ?? stays].filter((one) => one !== null)];
    return printSessionChange(session, `${MOVED[verb]}is ${stateWords(session.state)}`, notes, options, io);
  });
