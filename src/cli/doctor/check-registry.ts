import { readRegistry } from '#engine/authoring.ts';
import { fail, ok, type Check } from './check.ts';

/** Checks that the registry can be read. `robosmith registry check` loads the workers. */
export async function checkRegistry(root: string | null): Promise<readonly Check[]> {
  if (root === null) return [];
  const registry = await readRegistry(root);
  if (!registry.ok) {
    const { file, line, column, message } = registry.problem;
    return [fail('registry', `${file}:${line}:${column} is wrong`, message)];
  }
  const { written, lines } = registry;
  return [
    ok(
      'registry',
      written
        ? `the registry lists ${lines.length} ${lines.length === 1 ? 'worker' : 'workers'}`
        : 'no registry: the built-in workers are available',
    ),
  ];
}
