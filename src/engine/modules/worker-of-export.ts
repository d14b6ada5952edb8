import { messageOf } from '#protocol/message-of.ts';
import type { Worker } from '#protocol/worker.ts';

export type FoundWorker = { readonly worker: Worker } | { readonly problem: string };

const CLASSES: readonly unknown[] = ['none', 'idempotent', 'non_idempotent'];

const OPTIONAL = ['sideEffectsOf', 'checkPreconditions', 'checkCompletion', 'cleanup'] as const;

type Loose = { readonly [Key in keyof Worker]?: unknown };

/** Returns why an object is not a worker, or null. */
function problemOf({ sideEffects, execute, manual, ...others }: Loose): string | null {
  if (sideEffects !== undefined && !CLASSES.includes(sideEffects))
    return `its sideEffects must be "none", "idempotent" or "non_idempotent"`;
  if (typeof execute !== 'function') return 'it has no function execute';
  const wrong = OPTIONAL.find((name) => others[name] !== undefined && typeof others[name] !== 'function');
  if (wrong !== undefined) return `its ${wrong} is not a function`;
  if (manual !== undefined && manual !== true) return 'its manual can only be true';
  const safe = sideEffects === 'none' || sideEffects === 'idempotent' || others.checkCompletion !== undefined;
  return safe
    ? null
    : 'its sideEffects are neither "none" nor "idempotent", so it needs a function checkCompletion, which is asked after a crash whether its work was done';
}

const namesOf = (exports: object): string => {
  const names = Object.keys(exports);
  return names.length === 0 ? 'it has none' : `it has ${names.slice(0, 20).join(', ')}`;
};

/** Reads the parts of a worker. A property of a class instance may be on its prototype, which a spread would miss. */
const partsOf = (worker: Loose): Loose => ({
  sideEffects: worker.sideEffects,
  execute: worker.execute,
  manual: worker.manual,
  ...Object.fromEntries(OPTIONAL.map((name) => [name, worker[name]])),
});

/** Binds the checked properties: a getter is read only once, so that it can't change its value after the check. */
function boundTo(made: object, { sideEffects, manual, ...methods }: Loose): Worker {
  const bound = Object.entries(methods).flatMap(([name, method]) =>
    typeof method === 'function' ? [[name, method.bind(made) as unknown] as const] : [],
  );
  return {
    sideEffects,
    ...(manual === undefined ? {} : { manual }),
    ...Object.fromEntries(bound),
  } as Worker;
}

/**
 * Converts a module's export to a worker; a class is constructed without arguments. Its code may do anything, including
 * throw.
 */
export function workerOfExport(exports: Readonly<Record<string, unknown>>, name: string): FoundWorker {
  try {
    const exported = exports[name];
    if (exported === undefined) return { problem: `it has no export "${name}": ${namesOf(exports)}` };
    const made: unknown = typeof exported === 'function' ? Reflect.construct(exported, []) : exported;
    if (typeof made !== 'object' || made === null) return { problem: `"${name}" is neither an object nor a class` };
    const parts = partsOf(made);
    const problem = problemOf(parts);
    return problem === null ? { worker: boundTo(made, parts) } : { problem: `"${name}" is not a worker: ${problem}` };
  } catch (thrown) {
    return { problem: `"${name}" cannot be made: ${messageOf(thrown)}` };
  }
}
