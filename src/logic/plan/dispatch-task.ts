import type { Task, TaskDispatch } from '#protocol/task-tree.ts';

// Invisible characters, including variation selectors, which are kept in file names but not in names of workers.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Normalises a name to what can be seen: NFKC, nothing invisible, no surrounding blanks. */
export const foldWorkerName = (name: string): string =>
  name.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '').trim();

const PREFIX = /^\[([^[\]]+)\]/u;

/** Returns the only worker that this name can mean, or the exact match if several look alike. */
function workerNamed(name: string, workers: readonly string[]): string | null {
  const folded = foldWorkerName(name);
  if (folded === '') return null;
  const alike = workers.filter((worker) => foldWorkerName(worker) === folded);
  return alike.length === 1 ? (alike[0] ?? null) : (alike.find((worker) => worker === name) ?? null);
}

/**
 * Decides which node, worker or person executes a task; explicit metadata comes first. `workers` contains the worker
 * names of the registry.
 */
export function dispatchTask(
  { name, metadata }: Pick<Task, 'name' | 'metadata'>,
  workers: readonly string[],
): TaskDispatch {
  const type = metadata.get('type');
  if (type !== undefined && foldWorkerName(type) === 'flow')
    return { kind: 'flow', node: metadata.get('node') ?? name };
  const seen = foldWorkerName(name);
  const prefix = PREFIX.exec(seen)?.[1];
  const worker = workerNamed(name, workers) ?? (prefix === undefined ? null : workerNamed(prefix, workers));
  return worker === null
    ? { kind: 'person', why: `no worker of the registry is named "${name}", and the task is not a flow` }
    : { kind: 'worker', worker };
}

/** The maximum number of failures of one task before it is given up. */
const MOST_FAILURES = 3;

export function mostFailures({ metadata }: Pick<Task, 'metadata'>): number {
  const retries = metadata.get('retries');
  return retries === undefined ? MOST_FAILURES : Math.min(MOST_FAILURES, Number(retries));
}
