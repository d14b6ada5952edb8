import { indexGraph } from '#machines/run/graph-index.ts';
import type { Graph, SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { FindWorker, RunOptions, RunPorts } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import {
  agentWorker,
  aiWorker,
  type AnswerRules,
  BUILT_IN_WORKERS,
  commandWorker,
  isScripted,
  type ScriptCounts,
  scriptedWorker,
} from '#workers/index.ts';
import { schemaValidators } from '../schemas/schema-validators.ts';
import { writerAfter } from './writer-after.ts';

/** `all`: the script answers for every block, whatever its worker (simulate). */
export type ScriptReach = 'all' | 'where_it_answers';

export const EMPTY_SCRIPT: Script = { answers: new Map(), halts: [] };

/** Returns the definitions of the manifest's own workers, by name. */
export function definitionsOf(graph: Graph): (name: string) => WorkerDefinition | null {
  const definitions = new Map(graph.workers.map((definition) => [definition.name, definition]));
  return (name) => definitions.get(name) ?? null;
}

/** Returns whether the script answers for this block or worker by name, not only by `*`. */
const isNamed = ({ answers }: Script, worker: string, block: string | null): boolean =>
  (block !== null && answers.has(block)) || answers.has(worker);

/**
 * Returns a pure worker that first waits one turn of the virtual clock, as all other workers do, so that the branches
 * of a FORK end in a fixed order.
 */
const inVirtualTime = (worker: Worker): Worker => ({
  ...worker,
  execute: async (memory, services, signal) => {
    await services.clock.sleep(0, signal, memory.system.frame);
    return worker.execute(memory, services, signal);
  },
});

/** Returns how a worker in `loom` mode handles edits; without file access they are only parsed. */
export function editsOf(definition: WorkerDefinition | null, reach: ScriptReach): AnswerRules['edits'] {
  if (definition?.kind !== 'ai' || definition.settings['mode'] !== 'loom') return null;
  return reach === 'all' ? 'check' : 'apply';
}

const CAUTION: readonly SideEffects[] = ['none', 'idempotent', 'non_idempotent'];

const caution = (known: SideEffects | undefined): number => {
  const at = known === undefined ? -1 : CAUTION.indexOf(known);
  return at < 0 ? CAUTION.length - 1 : at;
};

const known = (said: SideEffects | null): SideEffects | null =>
  said === null || CAUTION.includes(said) ? said : 'non_idempotent';

/**
 * Returns the class of side effects that a worker reports for an execution, or `held` if it reports none. If the report
 * is invalid or fails, returns `non_idempotent`.
 */
function opinionOf(own: Worker, memory: BlockMemory, held: SideEffects): SideEffects | Promise<SideEffects> {
  try {
    const said = own.sideEffectsOf?.(memory) ?? null;
    return said instanceof Promise
      ? said.then(
          (later) => known(later) ?? held,
          () => 'non_idempotent' as const,
        )
      : (known(said) ?? held);
  } catch {
    return 'non_idempotent';
  }
}

/**
 * Returns the caller's own worker with the more careful of two classes of side effects: that of the worker and that of
 * its definition. An unknown class counts as `non_idempotent`.
 */
function cautious(own: Worker, definition: WorkerDefinition | null, block: SideEffects | null): Worker {
  const level = Math.max(caution(own.sideEffects), definition === null ? 0 : caution(definition.sideEffects));
  const held = CAUTION[level] ?? 'non_idempotent';
  const { checkPreconditions, checkCompletion, cleanup } = own;
  return {
    sideEffects: held,
    execute: (memory, services, signal) => own.execute(memory, services, signal),
    sideEffectsOf: (memory) => opinionOf(own, memory, block ?? held),
    ...(checkPreconditions === undefined ? {} : { checkPreconditions: checkPreconditions.bind(own) }),
    ...(checkCompletion === undefined ? {} : { checkCompletion: checkCompletion.bind(own) }),
    ...(cleanup === undefined ? {} : { cleanup: cleanup.bind(own) }),
    ...(own.manual === undefined ? {} : { manual: own.manual }),
  };
}

interface Reachable {
  readonly hasModels: boolean;
  readonly hasAgents: boolean;
}

/** Returns which kinds of workers these ports can execute. */
export const reachable = ({ models, agents }: Pick<RunPorts, 'models' | 'agents'>): Reachable => ({
  hasModels: models !== undefined,
  hasAgents: agents !== undefined,
});

/**
 * Returns the function that finds the worker of a block, in this order: a person if the worker is manual and no script
 * answers for the block itself, a pure built-in worker unless the script names it, the script, the caller's workers,
 * the manifest's, the built-in ones.
 */
export function workerFinder(
  graph: Graph,
  options: Pick<RunOptions, 'script' | 'scripts' | 'workers'>,
  reach: ScriptReach,
  counts: ScriptCounts = new Map(),
  { hasModels, hasAgents }: Reachable = { hasModels: false, hasAgents: false },
): FindWorker {
  const index = indexGraph(graph);
  const validators = schemaValidators(graph);
  const definitionOf = definitionsOf(graph);
  const made = new Map<string, Worker>();

  const rulesOf = (worker: string, id: BlockId | null) => ({
    outputType: definitionOf(worker)?.outputType ?? 'CODE_OUTPUT',
    validation: id === null ? null : index.block(id).validation,
    validate: id === null ? null : validators(id),
    answer: id === null ? null : (index.block(id).answer ?? null),
    edits: id === null ? null : editsOf(definitionOf(worker), reach),
    writer: id === null ? null : writerAfter(index, index.block(id)),
  });

  const scripted = (script: Script, worker: string, id: BlockId | null): Worker => {
    const block = id === null ? null : index.block(id);
    const rules = rulesOf(worker, id);
    const role = id === null ? 'repair' : 'block';
    return scriptedWorker({ script, counts, worker, role, rules, sideEffects: block?.sideEffects ?? null });
  };

  const find: FindWorker = (name, block) => {
    const definition = definitionOf(name);
    const builtIn = BUILT_IN_WORKERS.get(name) ?? null;
    if (builtIn?.manual === true && !(block !== null && options.script?.answers.has(block) === true)) return builtIn;
    if (builtIn?.pure === true && !isNamed(options.script ?? EMPTY_SCRIPT, name, block)) return inVirtualTime(builtIn);
    if (reach === 'all' || (options.script !== undefined && isScripted(options.script, name, block)))
      return scripted(options.script ?? EMPTY_SCRIPT, name, block);
    const own = options.workers?.get(name);
    if (own !== undefined) return cautious(own, definition, block === null ? null : index.block(block).sideEffects);
    if (definition?.kind === 'scripted') return scripted(options.scripts?.get(name) ?? EMPTY_SCRIPT, name, block);
    if (definition?.kind === 'command') return commandWorker;
    if (definition?.kind === 'agent' && hasAgents) return agentWorker(rulesOf(name, block));
    if (definition?.kind === 'ai' && hasModels) return aiWorker(rulesOf(name, block));
    return builtIn;
  };

  /** Cached per block; repair workers are cached by their own name. */
  return (name, block) => {
    const key = block ?? name;
    const known = made.get(key);
    if (known !== undefined) return known;
    const worker = find(name, block);
    if (worker !== null) made.set(key, worker);
    return worker;
  };
}
