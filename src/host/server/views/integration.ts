import { commitsBehind, filesInRange, lastAnswer, type RunPicture, sessionRange } from '#engine/index.ts';
import type { ChangedFile, IntegrationState, OutcomeVerb } from '#protocol/generated/view.gen.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import { messageOf } from '#protocol/message-of.ts';
import { BASE_SIDE, clashSummary } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { NO_SPENDING } from '#protocol/view/add-spending.ts';
import type { LiveRun } from './live-runs.ts';

/** The current outcome operation on a session, and the result of the last one. */
export interface OutcomeProgress {
  readonly busy: IntegrationState['busy'];
  readonly refusal: IntegrationState['refusal'];
  readonly notes: readonly string[];
}

export const NO_OUTCOME: OutcomeProgress = { busy: null, refusal: null, notes: [] };

/** The maximum number of semantic clashes that are shown for one pair of sessions. */
const MOST_LINES = 5;

const SHOWN: ReadonlySet<Session['state']> = new Set([
  ...(['ready', 'merging', 'merged', 'updating', 'holding', 'held', 'discarding'] as const),
]);

export const hasResult = ({ session }: SessionListing): boolean =>
  SHOWN.has(session.state) || (session.state === 'halted' && isInConflict(session));

const STEP: Readonly<Partial<Record<Session['state'], readonly [OutcomeVerb, string]>>> = {
  merging: ['merge', 'Merging into the base'],
  updating: ['update', 'Merging the base into the branch'],
  holding: ['hold', 'Committing uncommitted changes'],
  discarding: ['discard', 'Removing the worktree and the branch'],
};

function busyOf({ session }: SessionListing, { busy }: OutcomeProgress): IntegrationState['busy'] {
  const step = STEP[session.state];
  if (step === undefined) return busy;
  return { verb: step[0], step: step[1], since: busy?.since ?? session.updatedAt };
}

function controlsOf({ session }: SessionListing, isBusy: boolean, isEmpty: boolean): IntegrationState['controls'] {
  const { state, worktree } = session;
  const busy = isBusy ? 'Another operation is in progress.' : null;
  const over = state === 'merged' ? 'The session is merged.' : null;
  const held = state === 'held' ? 'The session is held: resume it first.' : null;
  const unmerged = isInConflict(session) ? 'An update has left conflicts to resolve.' : null;
  const all = over ?? busy;
  return {
    terminal: worktree === null ? 'The session has no worktree.' : null,
    merge: all ?? held ?? unmerged ?? (isEmpty ? 'The branch changes no files: there is nothing to merge.' : null),
    hold: all ?? held ?? unmerged,
    push: all,
    discard: all,
    update: all ?? held,
  };
}

interface ReadIntegration {
  readonly files: readonly ChangedFile[];
  /** The tree of the work; null if the session is merged. */
  readonly tree: string | null;
  readonly ahead: number;
  /** The reason why git's results are missing; null if they are available. */
  readonly unread: string | null;
}

export interface Integrations {
  /** Returns the integration state of a session; null if the session has no result yet. */
  build(listing: SessionListing, run: LiveRun | null, progress: OutcomeProgress): Promise<IntegrationState | null>;
}

/** Built-in workers that check the code, with the name of each check. */
const CHECKS: ReadonlyMap<string, string> = new Map([
  ['Internal:TestRunner', 'tests'],
  ['Internal:RunLinter', 'lint'],
  ['Internal:RunBuilder', 'build'],
]);

/** Returns the last result of each check that the run has made. */
function checksOf(picture: RunPicture | null): IntegrationState['checks'] {
  if (picture === null) return [];
  const last = new Map<string, boolean>();
  for (const { block, to, signal } of picture.visits.values()) {
    const name = CHECKS.get(picture.graphBlocks.get(block)?.worker ?? '');
    if (name !== undefined && to !== null && signal !== null) last.set(name, signal === 'SUCCESS');
  }
  return [...last, ...picture.checks].map(([name, held]) => ({ name, held }));
}

const sumOf = (
  picture: RunPicture | null,
): Pick<IntegrationState, 'elapsedMs' | 'spending' | 'blocks' | 'attempts' | 'answers' | 'checks'> => {
  const visits = [...(picture?.visits.values() ?? [])];
  return {
    elapsedMs: picture?.activeTime.before ?? 0,
    spending: picture?.spending ?? NO_SPENDING,
    blocks: new Set(visits.map(({ block }) => block)).size,
    attempts: visits.reduce((sum, { attempts }) => sum + attempts, 0),
    answers: picture?.answers ?? 0,
    checks: checksOf(picture),
  };
};

const NOT_READ = { files: [], tree: null, ahead: 0 } as const;

/** Reads a session's work from git. */
async function readWork(session: Session, root: string): Promise<ReadIntegration> {
  try {
    const range = await sessionRange(session, root);
    const isMerged = session.state === 'merged';
    if (range === null)
      return {
        ...NOT_READ,
        unread: isMerged ? 'The commits of this merge were not recorded.' : "The changes can't be read.",
      };
    const [files, ahead] = await Promise.all([filesInRange(range), isMerged ? 0 : commitsBehind(session, root)]);
    return { files, tree: isMerged ? null : range.to, ahead, unread: null };
  } catch (thrown) {
    return { ...NOT_READ, unread: `The changes can't be read: ${messageOf(thrown)}.` };
  }
}

/** Describes the integration state of sessions, read from git each time. */
export function createIntegrations(root: string): Integrations {
  return {
    build: async (listing, run, progress) => {
      const picture = run?.picture ?? null;
      if (!hasResult(listing)) return null;
      const { session, clashes, conflicts, semantics } = listing;
      const { files, tree, ahead, unread } = await readWork(session, root);
      const isEmpty = unread === null && files.length === 0;
      const busy = busyOf(listing, progress);
      const met = conflicts ?? clashes;
      return {
        session: session.id,
        title: session.title,
        state: session.state,
        branch: session.branch,
        baseBranch: session.baseBranch,
        finishedAt: picture?.run.endedAt ?? null,
        budgetMicroUsd: run?.budgetMicroUsd ?? null,
        ...sumOf(picture),
        answer: run === null ? null : lastAnswer(root, run.run, run.graph),
        base: {
          ahead,
          clashes: [
            ...met.map(({ with: { id, title }, files: shared }) => ({
              with: id === BASE_SIDE ? null : { session: id, title },
              files: [...shared],
              lines: [],
            })),
            ...semantics.map(({ with: { id, title }, clashes: found }) => ({
              with: id === BASE_SIDE ? null : { session: id, title },
              files: [...new Set(found.flatMap(({ change, use }) => [change.file, use.file]))],
              lines: found.slice(0, MOST_LINES).map(clashSummary),
            })),
          ],
          unmerged: isInConflict(session),
        },
        unread,
        files,
        tree,
        message: session.title,
        busy,
        refusal: progress.refusal,
        notes: [...(session.why === null ? [] : [session.why]), ...progress.notes],
        controls: controlsOf(listing, busy !== null, isEmpty),
      };
    },
  };
}
