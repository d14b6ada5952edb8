import { readRegistry } from '#engine/authoring.ts';
import type { Response } from '#protocol/response.ts';

export { workersFor } from '#engine/index.ts';

/** What is wrong with the registry itself, whoever uses it; nothing of it is executed. */
export async function registryFault(root: string): Promise<Response['details'] | null> {
  const registry = await readRegistry(root);
  return registry.ok ? null : registry.problem;
}
