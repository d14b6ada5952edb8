import { findRoot } from '#engine/authoring.ts';
import { loadRegistry, type Registry } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest } from '../manifest/open-manifest.ts';
import { printJson } from '../print/json.ts';
import { printRefused } from '../print/refused.ts';
import { printRegistry } from '../print/registry.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { type Executable, hasModules } from '#engine/authoring.ts';

export interface RegistryCheckOptions {
  readonly trust?: true;
  readonly json?: true;
}

/** Loads every worker of the registry and reports which ones work. */
export async function registryCheck(options: RegistryCheckOptions, io: CliIo): Promise<number> {
  const found = await findRoot(io.cwd);
  if ('reason' in found)
    return printRefused(
      {
        code: found.reason,
        message: `${found.message}.`,
        next: [found.reason === 'root_not_found' ? 'robosmith init' : 'robosmith doctor'],
      },
      2,
      options,
      io,
    );
  const approved = await approvedModules(found.root, options, io);
  if (approved === null)
    return printRefused(
      {
        code: 'not_trusted',
        message: 'Nothing was loaded: this project has its own modules and is not trusted yet.',
        next: ['robosmith registry check --trust'],
      },
      2,
      options,
      io,
    );
  return report(forThisCommand(await loadRegistry(found.root, 'all', approved)), options, io);
}

/**
 * Asks the user to trust the project as for a run, so that one decision covers both. `--trust` does so also in a project
 * without modules, whose commands a check or a landing then may run.
 */
async function approvedModules(
  root: string,
  { trust }: RegistryCheckOptions,
  io: CliIo,
): Promise<readonly Executable[] | null> {
  if (trust !== true && !(await hasModules(root))) return [];
  return askTrust(await graphIn(root, io), root, trust === true, io);
}

/**
 * Returns the workflow of the manifest. Returns null if there is no manifest or it has errors; the user is then asked
 * only to trust the modules.
 */
async function graphIn(root: string, io: CliIo): Promise<Graph | null> {
  const manifest = await openManifest(undefined, [root], io, root).catch((thrown: unknown) => {
    if (RoboSmithError.is(thrown)) return null;
    throw thrown;
  });
  return manifest?.compilation.workflow?.graph ?? null;
}

/** Suggests the help instead of this command itself, which every other command suggests. */
const forThisCommand = (registry: Registry): Registry =>
  registry.ok ? registry : { ...registry, problem: { ...registry.problem, next: ['robosmith registry check --help'] } };

function report(registry: Registry, { json }: RegistryCheckOptions, io: CliIo): number {
  const workers = registry.ok
    ? registry.entries.map(({ name, target, status, problem }) => ({ name, target, status, problem }))
    : [];
  const problem = registry.ok ? null : registry.problem;
  const ok = problem === null && workers.every(({ status }) => status === 'ready');
  if (json === true) printJson({ ok, workers, problem }, io.stdout);
  else printRegistry(registry, io);
  return ok ? 0 : 2;
}
