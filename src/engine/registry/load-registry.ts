import { wallClock } from '#io/clock/clock.ts';
import { findModule } from '#io/project/module-file.ts';
import type { Clock } from '#protocol/clock.ts';
import type { RegistryEntry, RegistryProblem } from '#protocol/registry.ts';
import type { Worker } from '#protocol/worker.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import { type RegistryLine, readRegistry } from './read-registry.ts';
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

type Modules = ReadonlyMap<string, Promise<DescribedModule>>;

/** Imports each module once, whichever of its exports are listed. */
function describeModules(lines: readonly RegistryLine[], root: string, clock: Clock): Modules {
  const wanted = new Map<string, string[]>();
  for (const { module, implementation } of lines)
    if (module !== null && implementation.kind === 'module')
      wanted.set(module, [...(wanted.get(module) ?? []), implementation.export]);
  const describe = async (path: string, exports: readonly string[]): Promise<DescribedModule> => {
    const file = await findModule(path, root);
    return file === null ? { problem: 'there is no such file' } : describeModule(file, exports, clock);
  };
  return new Map([...wanted].map(([path, exports]) => [path, describe(path, exports)]));
}

async function workerOf({ implementation, module }: RegistryLine, modules: Modules): Promise<FoundWorker> {
  if (implementation.kind === 'builtin') {
    const worker = BUILT_IN_WORKERS.get(implementation.worker);
    return worker === undefined ? { problem: 'there is no such built-in worker' } : { worker };
  }
  const described = await modules.get(module ?? '');
  if (described === undefined || 'problem' in described) return described ?? { problem: 'there is no such file' };
  const found = described.exports[implementation.export] ?? { problem: 'it was not checked' };
  return 'problem' in found ? found : { worker: moduleWorker(described.module, implementation.export, found) };
}

const isItself = ({ name, implementation }: RegistryLine): boolean =>
  implementation.kind === 'builtin' && implementation.worker === name;

/**
 * Reads the registry and imports, which executes, the modules of the workers that are used; only for trusted projects.
 * Each module is imported in a separate thread. A worker that can't be loaded is marked as broken, and does not affect
 * the others.
 */
export async function loadRegistry(
  root: string,
  used: ReadonlySet<string> | 'all',
  clock: Clock = wallClock,
): Promise<Registry> {
  const file = await readRegistry(root);
  if (!file.ok) return file;
  if (!file.written) return UNWRITTEN;
  const workers = new Map<string, Worker>();
  const isWanted = ({ name, implementation }: RegistryLine): boolean =>
    implementation.kind === 'builtin' || used === 'all' || used.has(name);
  const modules = describeModules(file.lines.filter(isWanted), root, clock);
  const load = async (line: RegistryLine): Promise<LoadedEntry> => {
    const { name, target, line: row, column } = line;
    const entry = { name, target, problem: null, place: { line: row, column } };
    if (!isWanted(line)) return { ...entry, status: 'not_loaded' };
    const found = await workerOf(line, modules);
    if ('problem' in found) return { ...entry, status: 'broken', problem: found.problem };
    if (!isItself(line)) workers.set(name, found.worker);
    return { ...entry, status: 'ready' };
  };
  const entries = await Promise.all(file.lines.map(load));
  const listed = new Set(entries.map(({ name }) => name));
  return { ok: true, written: true, workers, allowsBuiltIn: (name) => listed.has(name), entries };
}
