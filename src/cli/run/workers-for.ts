import { readRegistry } from '#engine/authoring.ts';
import type { Response } from '#protocol/response.ts';

export { workersFor } from '#engine/index.ts';

/** Returns the problem of the registry file itself, if any. Executes nothing. */
export async function registryFault(root: string): Promise<Response['details'] | null> {
  const registry = await readRegistry(root);
  return registry.ok ? null : registry.problem;
}
