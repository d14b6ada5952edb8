import type { RequirementId } from './requirements.ts';

/**
 * Marks a test with the requirements that it verifies: `verifies('manifest.jump.same-node')`. coverage.test.ts reads
 * the call as text, so the ids must be literals.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- the compiler checks the ids, that is all it does
export function verifies(..._ids: readonly [RequirementId, ...RequirementId[]]): void {}
