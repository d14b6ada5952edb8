import type { Diagnose } from '../1-parse/diagnose.ts';
import type { Spot } from '../1-parse/origins.ts';
import { rightWord } from '../1-parse/wrong-words.ts';
import { bareWorker } from '../2-resolve/worker-names.ts';
import type { KnownNames } from './known-names.ts';

const allWorkers = ({ manifest, internalWorkers, registry }: KnownNames): readonly string[] => [
  ...manifest.workers.keys(),
  ...internalWorkers,
  ...registry,
];

const isKnown = (name: string, { manifest, internalWorkers, registry }: KnownNames): boolean =>
  manifest.workers.has(name) || internalWorkers.has(name) || registry.has(name);

const UNLISTED = 'it is not declared under `workers`, not built in, and not in the registry';

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
  const remedy = rightWord('worker', name)?.remedy;
  if (remedy !== undefined) return { problem: 'no worker of this name exists', remedy };
  if (name.startsWith('Worker:'))
    return { problem: 'it is not declared under `workers`', remedy: `Declare "${name}", or correct the name` };
  if (name.startsWith('Internal:'))
    return { problem: 'no built-in worker has this name', remedy: `The built-in workers are ${builtIn(names)}` };
  const known = `Declare "${name}", or correct the name; the built-in workers are ${builtIn(names)}`;
  return { ...notInRegistry(names, known), ...(names.registryProblem === null ? { problem: UNLISTED } : {}) };
}

const builtIn = ({ internalWorkers }: KnownNames): string => [...internalWorkers].toSorted().join(', ');

const INTERNAL = 'Internal:';

/** Returns the worker with the most similar name. A name without a prefix is compared without prefixes. */
function similarWorker(name: string, names: KnownNames, { nearest }: Diagnose): string | null {
  const bare = bareWorker(name);
  if (name.startsWith('Worker:')) return nearest(name, allWorkers(names));
  // The common prefix must not make two short names similar.
  const all = name.startsWith(INTERNAL) ? [...names.internalWorkers] : allWorkers(names);
  const near = nearest(bare, all.map(bareWorker));
  if (near === null) return null;
  return name.startsWith(INTERNAL) ? `${INTERNAL}${near}` : near;
}

/** Returns the worker that is probably meant, in the form in which the name is written. */
function nearWorker(name: string, names: KnownNames, diagnose: Diagnose): string | null {
  const similar = similarWorker(name, names, diagnose);
  if (similar !== null) return similar;
  const right = rightWord('worker', name)?.near ?? null;
  return right === null || name.includes(':') ? right : bareWorker(right);
}

/** Reports the worker name of a block or a repair policy unless it is declared, built in, or in the registry. */
export function checkWorkerName(name: string, spot: Spot, names: KnownNames, diagnose: Diagnose): void {
  const isUncertain = !name.startsWith('Internal:') && names.manifest.malformed.has('workers');
  if (isKnown(name, names) || isUncertain) return;
  diagnose.report(
    'RS2016',
    spot,
    { worker: name, ...faultOf(name, names) },
    { near: nearWorker(name, names, diagnose) },
  );
}
