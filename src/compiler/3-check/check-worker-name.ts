import type { Diagnose } from '../1-parse/diagnose.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { KnownNames } from './known-names.ts';

const allWorkers = ({ manifest, internalWorkers, registry }: KnownNames): readonly string[] => [
  ...manifest.workers.keys(),
  ...internalWorkers,
  ...registry,
];

const isKnown = (name: string, { manifest, internalWorkers, registry }: KnownNames): boolean =>
  manifest.workers.has(name) || internalWorkers.has(name) || registry.has(name);

const UNLISTED =
  'List it in `.flow/flow.registry.json` (in a program: in the option `registry` of `compile`), or write `Worker:<Name>` or `Internal:<Name>`';

interface Fault {
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Returns the problem and the remedy for an unknown name that only the registry could define: the registry does not
 * contain the name, or can't be read.
 */
export const notInRegistry = ({ registryProblem }: KnownNames, remedy: string): Fault =>
  registryProblem === null
    ? { problem: 'it is not in the registry', remedy }
    : {
        problem: `the registry has an error (${registryProblem})`,
        remedy: 'Correct the registry; `robosmith registry check` lists its errors',
      };

function faultOf(name: string, names: KnownNames): Fault {
  if (name.startsWith('Worker:'))
    return { problem: 'it is not declared under `workers`', remedy: `Declare "${name}", or correct the name` };
  if (name.startsWith('Internal:'))
    return {
      problem: 'no built-in worker has this name',
      remedy: `The built-in workers are ${[...names.internalWorkers].toSorted().join(', ')}`,
    };
  return notInRegistry(names, UNLISTED);
}

const INTERNAL = 'Internal:';

function nearWorker(name: string, names: KnownNames, { nearest }: Diagnose): string | null {
  const prefixed = [`Worker:${name}`, `Internal:${name}`].find((candidate) => isKnown(candidate, names));
  if (prefixed !== undefined) return prefixed;
  // The common prefix must not make two short names similar.
  const bare = name.startsWith(INTERNAL) ? name.slice(INTERNAL.length) : null;
  if (bare === null) return nearest(name, allWorkers(names));
  const near = nearest(
    bare,
    [...names.internalWorkers].map((one) => one.slice(INTERNAL.length)),
  );
  return near === null ? null : `${INTERNAL}${near}`;
}

/** Reports the worker name of a block or a repair policy unless it is declared, built in, or in the registry. */
export function checkWorkerName(name: string, spot: Spot, names: KnownNames, diagnose: Diagnose): void {
  const isUncertain = name.startsWith('Worker:') && names.manifest.malformed.has('workers');
  if (isKnown(name, names) || isUncertain) return;
  diagnose.report(
    'RS2016',
    spot,
    { worker: name, ...faultOf(name, names) },
    { near: nearWorker(name, names, diagnose) },
  );
}
