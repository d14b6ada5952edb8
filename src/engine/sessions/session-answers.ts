import type { WaitingSession } from '#protocol/inbox.ts';

/** Commands that go on with a session that waits; the most likely one first. */
export function sessionAnswers({ session, state, why }: Omit<WaitingSession, 'answers'>): readonly string[] {
  const of = (verb: string): string => `robosmith sessions ${verb} ${session}`;
  if (state !== 'ready') return [of('resume'), of('show'), of('discard')];
  return why === null ? [of('merge'), of('show'), of('discard')] : [of('show'), of('update'), of('merge')];
}
