import { isAncestor } from '#io/git/outcomes/merge-session.ts';
import type { SessionId } from '#protocol/id.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { forgetMerge, publishNotes, removeMerged, repositoryOf } from '../outcomes/merge-work.ts';
import type { FoundCars } from './find-cars.ts';
import { appendEntry, moveOf, reopenJournal, type StoredLanding } from './landing-journal.ts';
import type { LandingParts } from './landing-parts.ts';
import { evidenceText, reportLanding } from './report-landing.ts';
import { type Driven, drivenBefore } from './run-steps.ts';
import { giveBack, type TakenCars } from './take-cars.ts';

/** Removes what a landing leaves of a session, and records that it has landed. */
async function settle(
  id: SessionId,
  moved: NonNullable<Driven['moved']>,
  found: { readonly place: string; readonly main: string },
  ignored: readonly string[],
  { manager, parts }: LandingParts,
): Promise<readonly string[]> {
  const session = manager.get(id);
  const notes = await removeMerged(session, found, ignored, parts);
  const merged = { from: moved.from, commit: moved.to };
  // After a crash, the session was already recorded as merged when the project was opened.
  if (session.state === 'merging') manager.endMerge(session, { ok: true, merged, notes });
  else manager.change(id, { worktree: null, merged });
  await forgetMerge(id, parts);
  return notes.map((note) => `${session.title}: ${note}`);
}

/** Gives every session of a landing its end. Returns remarks about what stays. */
export async function conclude(
  { landing }: StoredLanding,
  driven: Driven,
  { found, taken }: { readonly found: FoundCars; readonly taken: TakenCars },
  ignored: ReadonlyMap<SessionId, readonly string[]>,
  means: LandingParts,
): Promise<readonly string[]> {
  const { manager, parts } = means;
  const { end, moved } = driven;
  const notes: string[] = [];
  const report = reportLanding(landing, driven, { left: [], tests: '', ms: 0, notes: [] });
  for (const { name, session } of landing.cars) {
    if (session === null) continue;
    const own = taken.sessions.get(session);
    const back = report.back.find((one) => one.name === name);
    if (moved !== null && end?.landed.includes(name) === true)
      notes.push(...(await settle(session, moved, found, ignored.get(session) ?? [], means)));
    else if (own !== undefined && back !== undefined) {
      await own.rollBack();
      const why = evidenceText(back, landing.base);
      manager.endMerge(own.before, { ok: false, why, code: back.why.kind });
      manager.change(session, { returned: why });
    } else if (own !== undefined) await giveBack(own, manager);
  }
  // The base has moved: the other sessions are compared with it.
  const compared = moved === null ? undefined : landing.cars.find(({ session }) => session !== null)?.session;
  if (compared !== undefined && compared !== null) await means.refresh(compared);
  if (end !== null) appendEntry(parts, { type: 'ended', hasMoved: moved !== null });
  const [first] = landing.cars;
  if (moved !== null && first !== undefined)
    notes.push(...(await publishNotes({ baseBranch: landing.base, branch: first.branch }, found.place, parts.git)));
  return notes;
}

/**
 * Finishes a landing whose process died after it had moved the base. Returns its end; null if the base was not moved, so
 * that it can go on.
 */
export async function finishMoved(stored: StoredLanding, means: LandingParts): Promise<Driven | null> {
  const { manager, parts } = means;
  const { landing, entries } = stored;
  const move = entries.findLast((entry) => entry.type === 'moving');
  const located = await repositoryOf(parts);
  if (move === undefined || !located.ok) return null;
  const ref = `refs/heads/${landing.base}`;
  if (!(await isAncestor(parts.git, located.place, move.to, ref))) return null;
  reopenJournal(parts, stored);
  const answer = { type: 'answer', answer: { kind: 'moved' }, evidence: null } as const;
  const isKnown = moveOf(stored) !== null;
  if (!isKnown) appendEntry(parts, answer);
  const driven = drivenBefore(isKnown ? stored : { landing, entries: [...entries, answer] });
  const { back } = reportLanding(landing, driven, { left: [], tests: '', ms: 0, notes: [] });
  for (const { name, session } of landing.cars) {
    const own = session === null ? null : manager.find(session);
    const returned = back.find((one) => one.name === name);
    if (own === null) continue;
    if (move.cars.includes(name) && (own.state === 'merged' || own.state === 'merging'))
      await settle(own.id, move, located, await blockingIgnoredPatterns(own.job, parts.root), means);
    else if (returned !== undefined && own.state !== 'merged') {
      const why = evidenceText(returned, landing.base);
      manager.change(own.id, { why, returned: why });
    }
  }
  appendEntry(parts, { type: 'ended', hasMoved: true });
  return driven;
}
