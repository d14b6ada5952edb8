import type { SessionList } from '#actors/session/index.ts';
import { pruneDiscarded } from '#io/dispositions/prune-discarded.ts';
import type { Serialise } from '#io/git/serialise.ts';
import { removeWorktree } from '#io/worktrees/remove-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { type CleaningItem, type CleaningStep, planCleaning, RECOVERY_MS } from './plan-cleaning.ts';
import type { SessionPlaceParts } from './session-place.ts';
import { surveySessions } from './survey-sessions.ts';

export interface Cleaned {
  readonly gone: readonly CleaningItem[];
  readonly stays: readonly CleaningItem[];
}

type CleanParts = Pick<SessionPlaceParts, 'git' | 'processes' | 'root' | 'now'>;

const same = (one: CleaningItem) => (other: CleaningItem) => one.what === other.what && one.name === other.name;

/** What would go and what would stay, with the reason; looked at anew each time. Changes nothing. */
export async function lookForCleaning(sessions: readonly Session[], parts: CleanParts) {
  const surveyed = await surveySessions(parts.git, parts.root, sessions);
  return surveyed.ok ? { ...surveyed, ...(await planCleaning(surveyed, parts)) } : surveyed;
}

/** Null: it is gone. */
async function perform(
  step: CleaningStep,
  place: string,
  { git, processes, now }: CleanParts,
  serialise: Serialise,
): Promise<string | null> {
  const { removal } = step;
  if (removal !== null) {
    const removed = await serialise(() => removeWorktree(git, processes, removal));
    if (removed.kind === 'refused') return removed.message;
    return removed.leftovers.length === 0 ? null : removed.leftovers.join('; ');
  }
  if (step.item.what !== 'recovery') return null;
  const pruned = await pruneDiscarded(git, place, RECOVERY_MS, now(), serialise);
  return pruned.kind === 'refused' ? pruned.message : null;
}

/** Removes what was approved and can still go without loss; all of it by git. What was healed when the sessions were opened counts as gone. */
export async function cleanSessions(
  list: SessionList,
  approved: readonly CleaningItem[],
  parts: CleanParts,
  serialise: Serialise,
): Promise<Cleaned> {
  const looked = await lookForCleaning(list.all(), parts);
  if (!looked.ok) return { gone: [], stays: approved.map((item) => ({ ...item, message: looked.why })) };
  const gone: CleaningItem[] = approved.filter(
    ({ what, name }) => what === 'session' && list.all().some(({ id, worktree }) => id === name && worktree === null),
  );
  const stays = [...looked.stays];
  for (const step of looked.steps) {
    if (!approved.some(same(step.item))) continue;
    const why = await perform(step, looked.place, parts, serialise);
    if (why === null) gone.push(step.item);
    else stays.push({ ...step.item, message: why });
  }
  return { gone, stays };
}
