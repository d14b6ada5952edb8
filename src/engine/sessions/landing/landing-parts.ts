import type { SessionManager } from '#actors/session/index.ts';
import type { Serialise } from '#io/files/serialise.ts';
import { inspectBase } from '#io/git/outcomes/inspect-base.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { BranchMoves, OwnMerges } from '../model/branch-moves.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { projectTests, type ProjectTests } from '../outcomes/verify-merge.ts';
import type { FoundCars } from './find-cars.ts';

/** What a landing acts on. */
export interface LandingParts {
  readonly parts: SessionPlaceParts;
  readonly manager: SessionManager;
  readonly openRun: (session: Session) => RunId | null;
  readonly refresh: (session: SessionId) => Promise<void>;
  readonly serialise: Serialise;
  readonly moves: BranchMoves;
  readonly merges: OwnMerges;
}

export const landingRefused = (message: string, next: readonly string[] = []): RoboSmithError =>
  new RoboSmithError('refused', message, { next });

export async function testsFor({ main, candidates }: FoundCars, parts: SessionPlaceParts): Promise<ProjectTests> {
  const id = candidates.find(({ session }) => session !== null)?.session?.id;
  const session = { job: null, resolving: null, ...(id === undefined ? {} : { id }) };
  const tests = await projectTests(session, main, true, parts);
  if (tests === null || 'ok' in tests)
    throw landingRefused(tests?.why ?? 'there is no command "test"', [
      'robosmith land --help',
      'robosmith manifest show',
    ]);
  return tests;
}

/** Returns the base's commit. Refuses if the base is missing, or behind its remote. */
export async function soundBase({ place, base }: FoundCars, { git }: SessionPlaceParts): Promise<string> {
  const found = await inspectBase(git, place, base);
  if (found.kind === 'refused') throw landingRefused(found.message);
  return found.commit;
}
