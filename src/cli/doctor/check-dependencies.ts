import { dependencyNeeds, findServerProgram, readRegistry, usesContext, worktreeSection } from '#engine/authoring.ts';
import type { CheckedManifest } from './check-manifest.ts';
import { fail, ok, warn } from './check.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Check } from '../print/json-documents.ts';

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
  const { leftOutOfWorktrees } = await import('#engine/index.ts');
  const leftOut = await leftOutOfWorktrees(workflow.graph, root).catch(() => []);
  if (leftOut.length > 0)
    return leftOut.map((message) =>
      warn('worktrees', message, 'Each new session says so as well: robosmith sessions show.'),
    );
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

/** Checks whether the code-analysis server can be started, without starting it. */
export async function checkAnalysis({ workflow }: CheckedManifest, { env }: CliIo): Promise<Check> {
  const program = await findServerProgram(env);
  if (program.kind === 'program') return ok('analysis', 'code analysis');
  const lost =
    workflow !== null && usesContext(workflow.graph)
      ? 'Context slices of this manifest stay empty, and sessions are not compared by what their code means'
      : 'Sessions are not compared by what their code means';
  return warn('analysis', `code analysis: ${program.message}`, `${lost}.`);
}
