import { commitsBehind, type RunPicture, sessionFiles } from '#engine/index.ts';
import type { ChangedFile, IntegrationState, OutcomeVerb } from '#protocol/generated/view.gen.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import { messageOf } from '#protocol/message-of.ts';
import { BASE_SIDE } from '#protocol/semantic-clash.ts';
import { clashSummary } from '#protocol/semantic-clash-text.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
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

function controlsOf({ session }: SessionListing, isBusy: boolean): IntegrationState['controls'] {
  const { state, worktree } = session;
  const busy = isBusy ? 'Another operation is in progress.' : null;
  const over = state === 'merged' ? 'The session is merged.' : null;
  const held = state === 'held' ? 'The session is held: resume it first.' : null;
  const unmerged = isInConflict(session) ? 'An update has left conflicts to resolve.' : null;
  const all = over ?? busy;
  return {
    terminal: worktree === null ? 'The session has no worktree.' : null,
    merge: all ?? held ?? unmerged,
    hold: all ?? held ?? unmerged,
    push: all,
    discard: all,
    update: all ?? held,
  };
}

interface ReadIntegration {
  readonly key: string;
  readonly files: readonly ChangedFile[];
  readonly ahead: number;
  /** The reason why git's results are missing; null if they are available. */
  readonly unread: string | null;
}

export interface Integrations {
  /** Returns the integration state of a session; null if the session has no result yet. */
  build(
    listing: SessionListing,
    run: Pick<LiveRun, 'picture' | 'budgetMicroUsd'> | null,
    progress: OutcomeProgress,
  ): Promise<IntegrationState | null>;
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
    spending: picture?.spending ?? { input: 0, output: 0, microUsd: 0 },
    blocks: new Set(visits.map(({ block }) => block)).size,
    attempts: visits.reduce((sum, { attempts }) => sum + attempts, 0),
    answers: picture?.answers ?? 0,
    checks: checksOf(picture),
  };
};

/** Describes the integration state of sessions. Results from git are cached until the session changes. */
export function createIntegrations(root: string): Integrations {
  const known = new Map<string, ReadIntegration>();

  const lookAt = async ({ session }: SessionListing): Promise<ReadIntegration> => {
    const key = `${session.state} ${session.updatedAt}`;
    const before = known.get(session.id);
    if (before !== undefined && (before.key === key || session.state === 'merged' || session.state === 'discarding'))
      return before;
    try {
      const [files, ahead] = await Promise.all([sessionFiles(session, root), commitsBehind(session, root)]);
      const looked = { key, files, ahead, unread: null };
      known.set(session.id, looked);
      return looked;
    } catch (thrown) {
      return { key, files: [], ahead: 0, unread: `The changes can't be read: ${messageOf(thrown)}.` };
    }
  };

  return {
    build: async (listing, run, progress) => {
      const picture = run?.picture ?? null;
      if (!hasResult(listing)) return null;
      const { session, clashes, conflicts, semantics } = listing;
      const { files, ahead, unread } = await lookAt(listing);
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
        base: {
          ahead,
          clashes: [
            ...met.map(({ with: { id, title }, files: shared }) => ({
              with: { session: id, title },
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
        message: session.title,
        busy,
        refusal: progress.refusal,
        notes: [...(session.why === null ? [] : [session.why]), ...progress.notes],
        controls: controlsOf(listing, busy !== null),
      };
    },
  };
}
