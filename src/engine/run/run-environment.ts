import { createHash } from 'node:crypto';
import { allowedEnvironment } from '#io/process/environment.ts';
import type { Environment, RecordedEnvironment } from '#protocol/environment.ts';
import type { Graph } from '#protocol/graph.ts';
import { passedTo, PRESETS } from '#workers/index.ts';

/** The parts of a workflow that name environment variables. */
type NamingGraph = Pick<Graph, 'workers' | 'nodes'>;

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Returns the names of the environment variables that the programs and modules of a workflow get, beside the usual ones. */
function environmentNames({ workers, nodes }: NamingGraph): readonly string[] {
  const named = workers.flatMap(({ settings }) => listOf(settings['env']));
  // `Internal:Command` has its settings in the block.
  const inBlocks = nodes.flatMap(({ blocks }) => blocks.flatMap(({ params }) => listOf(params['env'])));
  const presets = workers.flatMap(({ settings }) => {
    const { preset } = settings;
    const known = Object.values(PRESETS).find(({ name }) => name === preset);
    return known === undefined ? [] : passedTo(known.name);
  });
  return [...new Set([...named, ...inBlocks, ...presets])];
}

/** Returns the part of an environment that a run of this workflow uses; of a session's commands if there is none. */
export const runEnvironment = (graph: NamingGraph | null, environment: Environment): Environment =>
  allowedEnvironment(environment, graph === null ? [] : environmentNames(graph), process.platform);

/** Variables that decide which programs run and how they report, in every run. */
const ALWAYS_RECORDED = ['PATH', 'LANG'];

/** The length of a recorded hash. It is too short to confirm a guess of a long secret. */
const HASH_LENGTH = 6;

const hashOf = (name: string, value: string | undefined, salt: string): string | null =>
  value === undefined
    ? null
    : createHash('sha256').update(`${salt}\0${name}\0${value}`).digest('hex').slice(0, HASH_LENGTH);

/** Returns the names of the variables that a run uses, with salted hashes of their values. */
export function recordEnvironment(environment: Environment, graph: NamingGraph, salt: string): RecordedEnvironment {
  const names = [...new Set([...ALWAYS_RECORDED, ...environmentNames(graph)])];
  const hashes = Object.fromEntries(names.map((name) => [name, hashOf(name, environment[name], salt)]));
  return { salt, hashes };
}

/** Returns the names of the variables that have another value than when they were recorded. */
export const changedVariables = (recorded: RecordedEnvironment | null, environment: Environment): readonly string[] =>
  Object.entries(recorded?.hashes ?? {}).flatMap(([name, hash]) =>
    hashOf(name, environment[name], recorded?.salt ?? '') === hash ? [] : [name],
  );
