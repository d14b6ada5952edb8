import { dependencyNeeds, worktreeSection } from '#engine/authoring.ts';
import type { CheckedManifest } from './check-manifest.ts';
import { type Check, ok, warn } from './check.ts';

/** The manifest's settings that provide a worktree with dependencies. */
const BRINGING = ['link', 'share', 'copy', 'setup'] as const;

const isSet = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/**
 * Checks that the worktrees of sessions get the project's dependencies: git does not check out ignored folders such as
 * `node_modules`.
 */
export async function checkDependencies(
  { workflow }: Pick<CheckedManifest, 'workflow'>,
  root: string | null,
): Promise<readonly Check[]> {
  if (root === null || workflow === null) return [];
  const { worktree } = workflow.graph;
  const needs = await dependencyNeeds(root);
  const section = worktreeSection(needs);
  if (section === null || worktree['isolation'] === 'none') return [];
  const names = needs.flatMap(({ manager, file, setting }) => (setting === null ? [] : [`${manager} (${file})`]));
  const what = `dependencies of ${names.join(', ')}`;
  if (BRINGING.some((key) => isSet(worktree[key])))
    return [ok('worktrees', `${what}: the manifest prepares the worktrees of sessions`)];
  return [
    warn(
      'worktrees',
      `${what}: the worktrees of sessions will not have them`,
      `Add "worktree": ${JSON.stringify(section)} to the manifest.`,
    ),
  ];
}
