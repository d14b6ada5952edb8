import { wallClock } from '#io/clock/clock.ts';
import { findModule, type ModuleFile } from '#io/project/module-file.ts';
import type { Clock } from '#protocol/clock.ts';
import type { Environment } from '#protocol/environment.ts';
import type { RegistryEntry, RegistryProblem } from '#protocol/registry.ts';
import type { Worker } from '#protocol/worker.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import { problemAt, type RegistryLine, readRegistry } from './read-registry.ts';
import { isApproved, type ApprovalLine, moduleEntry } from './module-entry.ts';
import { type DescribedModule, describeModule } from '../modules/describe-module.ts';
import { moduleWorker } from '../modules/module-worker.ts';
import type { FoundWorker } from '../modules/worker-of-export.ts';

/** A worker of the registry. `place`: its position in the registry file; null if there is no such file. */
interface LoadedEntry extends RegistryEntry {
  readonly place: Pick<RegistryLine, 'line' | 'column'> | null;
}

/** The workers of a project that its manifest can use. */
export type Registry =
  | {
      readonly ok: true;
      /** Whether the registry file exists. Without one, only the built-in workers are available. */
      readonly written: boolean;
      /** The workers that are ready, except built-in ones under their own names. */
      readonly workers: ReadonlyMap<string, Worker>;
      allowsBuiltIn(name: string): boolean;
      readonly entries: readonly LoadedEntry[];
    }
  | { readonly ok: false; readonly problem: RegistryProblem };

const builtInEntry = (name: string): LoadedEntry => ({
  name,
  target: name.replace('Internal:', 'builtin:'),
  status: 'ready',
  problem: null,
  place: null,
});

const UNWRITTEN: Registry = {
  ok: true,
  written: false,
  workers: new Map(),
  allowsBuiltIn: () => true,
  entries: [...BUILT_IN_WORKERS.keys()].map(builtInEntry),
};

/** The modules that are wanted, by their paths; null if there is no such file. */
type Files = ReadonlyMap<string, ModuleFile | null>;

type Modules = ReadonlyMap<string, Promise<DescribedModule>>;

async function findModules(lines: readonly RegistryLine[], root: string, more: readonly string[]): Promise<Files> {
  const found = new Map<string, ModuleFile | null>();
  for (const { module } of lines)
    if (module !== null && !found.has(module)) found.set(module, await findModule(module, root, more));
  return found;
}

interface ModuleParts {
  readonly files: Files;
  /** The environment that the modules see. */
  readonly environment: Environment;
  readonly clock: Clock;
}

/** Imports each module once, whichever of its exports are listed. */
function describeModules(lines: readonly RegistryLine[], { files, environment, clock }: ModuleParts): Modules {
  const wanted = new Map<string, string[]>();
  for (const { module, implementation } of lines)
    if (module !== null && implementation.kind === 'module')
      wanted.set(module, [...(wanted.get(module) ?? []), implementation.export]);
  const describe = async (path: string, exports: readonly string[]): Promise<DescribedModule> => {
    const file = files.get(path) ?? null;
    return file === null ? { problem: 'there is no such file' } : describeModule(file, exports, clock, environment);
  };
  return new Map([...wanted].map(([path, exports]) => [path, describe(path, exports)]));
}

/** Returns the problem of the first module that is not as it was approved; null if there is none. */
function unapproved(
  lines: readonly RegistryLine[],
  files: Files,
  approved: readonly ApprovalLine[],
): RegistryProblem | null {
  const changed = lines.find(
    (line) => line.module !== null && !isApproved(moduleEntry(line, files.get(line.module) ?? null), approved),
  );
  if (changed === undefined) return null;
  const message =
    `The module of "${changed.name}", or a file that it reaches, has changed since the list was approved. ` +
    'Nothing was executed: type the command again.';
  return problemAt(changed, 'registry_not_approved', message);
}

async function workerOf(
  { implementation, module }: RegistryLine,
  modules: Modules,
  environment: Environment,
): Promise<FoundWorker> {
  if (implementation.kind === 'builtin') {
    const worker = BUILT_IN_WORKERS.get(implementation.worker);
    return worker === undefined ? { problem: 'there is no such built-in worker' } : { worker };
  }
  const described = await modules.get(module ?? '');
  if (described === undefined || 'problem' in described) return described ?? { problem: 'there is no such file' };
  const found = described.exports[implementation.export] ?? { problem: 'it was not checked' };
  return 'problem' in found
    ? found
    : { worker: moduleWorker(described.module, implementation.export, found, environment) };
}

const isItself = ({ name, implementation }: RegistryLine): boolean =>
  implementation.kind === 'builtin' && implementation.worker === name;

/**
 * Reads the registry and imports, which executes, the modules of the workers that are used. `approved` is the list that
 * a person has approved: a module that is not on it, as it is now, is not executed. Each module is imported in a separate thread. A worker that can't be loaded is marked as broken, and does not affect
 * the others.
 */
export async function loadRegistry(
  root: string,
  used: ReadonlySet<string> | 'all',
  approved: readonly ApprovalLine[],
  environment: Environment = process.env,
  clock: Clock = wallClock,
): Promise<Registry> {
  const file = await readRegistry(root);
  if (!file.ok) return file;
  if (!file.written) return UNWRITTEN;
  const workers = new Map<string, Worker>();
  const isWanted = ({ name, implementation }: RegistryLine): boolean =>
    implementation.kind === 'builtin' || used === 'all' || used.has(name);
  const wanted = file.lines.filter(isWanted);
  const files = await findModules(wanted, root, file.files);
  const problem = unapproved(wanted, files, approved);
  if (problem !== null) return { ok: false, problem };
  const modules = describeModules(wanted, { files, environment, clock });
  const load = async (line: RegistryLine): Promise<LoadedEntry> => {
    const { name, target, line: row, column } = line;
    const entry = { name, target, problem: null, place: { line: row, column } };
    if (!isWanted(line)) return { ...entry, status: 'not_loaded' };
    const found = await workerOf(line, modules, environment);
    if ('problem' in found) return { ...entry, status: 'broken', problem: found.problem };
    if (!isItself(line)) workers.set(name, found.worker);
    return { ...entry, status: 'ready' };
  };
  const entries = await Promise.all(file.lines.map(load));
  const listed = new Set(entries.map(({ name }) => name));
  return { ok: true, written: true, workers, allowsBuiltIn: (name) => listed.has(name), entries };
}
