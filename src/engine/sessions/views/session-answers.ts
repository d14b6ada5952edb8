import type { WaitingSession } from '#protocol/inbox.ts';

/** Commands that go on with a session that waits; the most likely one first. `inConflict`: what its resolver has left is a person's. */
export function sessionAnswers(
  { session, state, why }: Omit<WaitingSession, 'answers'>,
  inConflict: boolean,
): readonly string[] {
  const of = (verb: string): string => `robosmith sessions ${verb} ${session}`;
  if (inConflict) return [of('terminal'), of('update'), of('show')];
  if (state !== 'ready') return [of('resume'), of('show'), of('discard')];
  return why === null ? [of('merge'), of('show'), of('discard')] : [of('show'), of('update'), of('merge')];
}
