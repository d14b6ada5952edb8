import type { SessionList } from '#actors/session/index.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { lastLines } from '#io/git/worktrees/git-refusal.ts';
import { removeCopiedEntry } from '#io/git/worktrees/remove-worktree.ts';
import type { Finding } from '#machines/session/reconcile.ts';
import type { SessionState } from '#protocol/session.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { surveySessions } from './survey-sessions.ts';

type Of<Kind extends Finding['kind']> = Extract<Finding, { readonly kind: Kind }>;

/** States in which a lost worktree fails the session at once; in other states the active operation notices it. */
const CAN_BE_LOST: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'held']);

async function follow(list: SessionList, git: Git, place: string, finding: Of<'moved'>): Promise<string> {
  const { session, to, needsRepair, message } = finding;
  const repaired = needsRepair ? await git(place, ['worktree', 'repair', to]) : null;
  if (repaired?.ok === false) return `${message}; git can't repair that: ${lastLines(repaired)}`;
  list.change(session, { worktree: to });
  return `${message}; ${finding.from === to ? 'that is repaired' : 'the session now uses that folder'}`;
}

/**
 * Gives up a worktree of another copy of the project, where that copy may work. It stays as it is; only this copy's own
 * entry is removed, which git would refuse to do.
 */
async function giveUp(list: SessionList, { session, entry, message }: Of<'of_a_copy'>): Promise<string> {
  const why = await removeCopiedEntry(entry);
  if (CAN_BE_LOST.has(list.get(session).state))
    list.send(session, { type: 'session.lost' }, { why: message, worktree: null });
  else list.change(session, { worktree: null });
  return why === null ? message : `${message}; ${entry} was not removed: ${why}`;
}

function heal(list: SessionList, { session, message }: Of<'ghost'>): string | null {
  if (!CAN_BE_LOST.has(list.get(session).state)) return null;
  list.send(session, { type: 'session.lost' }, { why: message, worktree: null });
  return `${message}; the session is marked as failed`;
}

/** Null if there is nothing to report. */
async function settle(list: SessionList, git: Git, place: string, finding: Finding): Promise<string | null> {
  if (finding.kind === 'moved') return follow(list, git, place, finding);
  if (finding.kind === 'of_a_copy') return giveUp(list, finding);
  if (finding.kind === 'ghost' && finding.next === 'heal') return heal(list, finding);
  return finding.kind === 'ok' || finding.kind === 'zombie' || finding.kind === 'prunable' ? null : finding.message;
}

/** Reconciles sessions with their worktrees at start: follows moved ones, and reports lost ones. */
export async function reconcileSessions(list: SessionList, { git, root, warn }: SessionPlaceParts): Promise<void> {
  if (list.all().every(({ worktree }) => worktree === null)) return;
  const surveyed = await surveySessions(git, root, list.all());
  if (!surveyed.ok) return warn(`the worktrees of the sessions were not checked: ${surveyed.why}`);
  for (const finding of surveyed.findings) {
    const problem = await settle(list, git, surveyed.place, finding);
    if (problem !== null)
      warn('session' in finding && finding.session !== null ? `${finding.session}: ${problem}` : problem);
  }
}
