import type { SessionList } from '#actors/session/index.ts';
import { type KeptRef, pruneKept } from '#io/git/outcomes/prune-kept.ts';
import type { Serialise } from '#io/files/serialise.ts';
import { deleteFromTrash } from '#io/git/worktrees/trash.ts';
import { removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { type CleaningItem, type CleaningStep, planKept } from './plan-recovery.ts';
import { otherProjects } from './other-projects.ts';
import { planCleaning } from './plan-cleaning.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { surveySessions } from './survey-sessions.ts';

export interface CleaningOutcome {
  readonly gone: readonly CleaningItem[];
  readonly stays: readonly CleaningItem[];
}

type CleanParts = Pick<SessionPlaceParts, 'git' | 'processes' | 'root' | 'now'>;

const same = (one: CleaningItem) => (other: CleaningItem) => one.what === other.what && one.name === other.name;

/** Returns what cleaning would remove and keep, with reasons. Changes nothing. */
export async function findLeftovers(sessions: readonly Session[], parts: CleanParts) {
  const surveyed = await surveySessions(parts.git, parts.root, sessions);
  if (!surveyed.ok) return surveyed;
  const others = await otherProjects(parts.git, parts.root, surveyed.survey.listed);
  return { ...surveyed, others, ...(await planCleaning(surveyed, others, parts)) };
}

type Found = Pick<Extract<Awaited<ReturnType<typeof findLeftovers>>, { readonly ok: true }>, 'place' | 'others'>;

/** Removes a stored ref after checking again, since a session may need it meanwhile. Null if it is gone. */
async function prune(
  kept: KeptRef,
  { place, others }: Found,
  list: SessionList,
  parts: CleanParts,
): Promise<string | null> {
  const planned = await planKept(kept, place, { own: list.all(), others }, parts);
  if (planned === null) return 'a session will start from it';
  if ('stays' in planned) return planned.stays.message;
  const refusal = await pruneKept(parts.git, place, kept);
  return refusal?.message ?? null;
}

/** Performs one step; null if its object is gone. */
async function perform(
  { removal, kept, trash }: CleaningStep,
  found: Found,
  list: SessionList,
  parts: CleanParts,
  serialise: Serialise,
): Promise<string | null> {
  if (trash !== undefined) return deleteFromTrash(trash);
  if (removal !== null) {
    const removed = await serialise(() => removeWorktree(parts.git, parts.processes, removal));
    if (removed.kind === 'refused') return removed.message;
    return removed.leftovers.length === 0 ? null : removed.leftovers.join('; ');
  }
  return kept === null ? null : serialise(() => prune(kept, found, list, parts));
}

/**
 * Removes approved leftovers that can still be removed without loss, through git. Those that were repaired when the
 * sessions were opened count as removed.
 */
export async function cleanSessions(
  list: SessionList,
  approved: readonly CleaningItem[],
  parts: CleanParts,
  serialise: Serialise,
): Promise<CleaningOutcome> {
  const looked = await findLeftovers(list.all(), parts);
  if (!looked.ok) return { gone: [], stays: approved.map((item) => ({ ...item, message: looked.why })) };
  const gone: CleaningItem[] = approved.filter(
    ({ what, name }) => what === 'session' && list.all().some(({ id, worktree }) => id === name && worktree === null),
  );
  const stays = [...looked.stays];
  for (const step of looked.steps) {
    if (!approved.some(same(step.item))) continue;
    const why = await perform(step, looked, list, parts, serialise);
    if (why === null) gone.push(step.item);
    else stays.push({ ...step.item, message: why });
  }
  return { gone, stays };
}
