/** The names that a block's `worker` can refer to. */
export interface KnownWorkers {
  /** The workers under `workers` of all files, as `Worker:<Name>`. */
  readonly declared: ReadonlySet<string>;
  /** The built-in workers, as `Internal:<Name>`. */
  readonly builtIn: ReadonlySet<string>;
  readonly registry: ReadonlySet<string>;
}

const WORKER = 'Worker:';
const INTERNAL = 'Internal:';

/** Returns the full name of a worker that is declared under a key, `Worker:<Name>`. */
export const declaredWorker = (key: string): string => (key.includes(':') ? key : WORKER + key);

/** Returns a worker's name without `Worker:` or `Internal:`. */
export const bareWorker = (name: string): string => name.replace(/^(?:Worker|Internal):/, '');

/** Returns the workers that a name can mean: none, one, or several if the name is ambiguous. */
export function workersNamed(written: string, { declared, builtIn, registry }: KnownWorkers): readonly string[] {
  if (written.includes(':')) return [written];
  return [
    ...[WORKER + written].filter((name) => declared.has(name)),
    ...[INTERNAL + written].filter((name) => builtIn.has(name) || registry.has(name)),
    ...[written].filter((name) => registry.has(name)),
  ];
}
