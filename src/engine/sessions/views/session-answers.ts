import type { WaitingSession } from '#protocol/inbox.ts';

/**
 * Returns commands that continue a waiting session, most likely first. `inConflict`: its resolver has left conflicts
 * for a person.
 */
export function sessionAnswers(
  { session, state, why }: Omit<WaitingSession, 'answers'>,
  inConflict: boolean,
): readonly string[] {
  const of = (verb: string): string => `robosmith sessions ${verb} ${session}`;
  if (inConflict) return [of('terminal'), of('update'), of('show')];
  if (state !== 'ready') return [of('resume'), of('show'), of('discard')];
  return why === null ? [of('merge'), of('show'), of('discard')] : [of('show'), of('update'), of('merge')];
}
