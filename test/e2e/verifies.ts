import type { RequirementId } from './requirements.ts';

/**
 * Says in a test which requirements it proves: `verifies('manifest.jump.same-node')`.
 * coverage.test.ts reads the call as text, so ids are written as literals.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- the compiler checks the ids, that is all it does
export function verifies(..._ids: readonly [RequirementId, ...RequirementId[]]): void {}
