import type { Graph, GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { BlockId, Signal } from '#protocol/id.ts';
import { isObject, type JsonObject } from '#protocol/json.ts';
import type { Atom } from '#protocol/rule.ts';
import {
  ERROR,
  FAIL_DEFAULT,
  FAILURE,
  isSignal,
  NO_SIGNAL,
  REJECTED,
  SUCCESS,
  TIMEOUT,
  VALIDATION_FAIL,
} from '#protocol/signal.ts';

export const MANUAL = 'Internal:ManualIntervention';

/** Returns the blocks whose work is done by a person. */
export const manualBlocks = ({ nodes }: Graph): ReadonlySet<BlockId> =>
  new Set(nodes.flatMap(({ blocks }) => blocks.flatMap(({ id, worker }) => (worker === MANUAL ? id : []))));

/** Built-in workers that write files of the worktree. */
const WRITERS: ReadonlySet<string> = new Set([
  'Internal:FileSystemWriter',
  'Internal:DocumentationWriter',
  'Internal:Loom',
]);

/** Built-in workers that run a command of the project, by its name. Such a command is taken to write no source files. */
const RUNNERS: Readonly<Record<string, string>> = {
  'Internal:TestRunner': 'test',
  'Internal:RunLinter': 'lint',
  'Internal:RunBuilder': 'build',
};

const sameArgv = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((part, index) => part === other[index]);

const argvOf = (settings: JsonObject): readonly string[] => {
  const { command } = settings;
  return Array.isArray(command) ? command.filter((part) => typeof part === 'string') : [];
};

const mayWriteFiles = ({ access }: GraphBlock): boolean =>
  access.mode !== 'strict' && !(access.isListed === true && access.paths.length === 0);

/** A worker that rules know, from its definition or its name. */
export interface Workers {
  definition(name: string): WorkerDefinition | null;
}

export function workersOf({ workers }: Graph): Workers {
  const byName = new Map(workers.map((worker) => [worker.name, worker]));
  return { definition: (name) => byName.get(name) ?? null };
}

/** Returns the settings of a block that runs a command; null if it runs none. */
function commandSettings({ worker, params }: GraphBlock, workers: Workers): JsonObject | null {
  if (worker === 'Internal:Command') return params;
  const definition = workers.definition(worker);
  return definition?.kind === 'command' ? definition.settings : null;
}

/** Returns whether a worker may write files when it executes this block. */
function workerChanges(name: string, block: GraphBlock, workers: Workers): boolean {
  if (WRITERS.has(name)) return true;
  if (name === 'Internal:Command') return (block.sideEffects ?? 'non_idempotent') !== 'none';
  if (name.startsWith('Internal:')) return false;
  const definition = workers.definition(name);
  switch (definition?.kind) {
    case 'ai':
      return definition.settings['mode'] === 'loom' && mayWriteFiles(block);
    case 'agent':
      return definition.settings['approvals'] !== 'read' && mayWriteFiles(block);
    case 'command':
      return (block.sideEffects ?? definition.sideEffects) !== 'none';
    default:
      // A scripted worker stands for another one, and modules and registered workers are code.
      return mayWriteFiles(block) && block.sideEffects !== 'none';
  }
}

const repairers = ({ recovery }: GraphBlock): readonly string[] =>
  Object.values(recovery)
    .flat()
    .flatMap((policy) => (policy.policy === 'repair' ? [policy.worker] : []));

const changesFiles = (block: GraphBlock, workers: Workers): boolean =>
  [block.worker, ...repairers(block)].some((name) => workerChanges(name, block, workers));

function pushes(block: GraphBlock, workers: Workers): boolean {
  if (block.worker === 'Internal:PullRequest') return true;
  const settings = commandSettings(block, workers);
  const words = settings === null ? [] : argvOf(settings).join(' ').split(/\s+/);
  return words[0] === 'git' && words.includes('push');
}

/** Returns whether this happens when the block is executed, whatever comes of it. */
export function happensInExecution(atom: Atom, block: GraphBlock, workers: Workers): boolean {
  switch (atom.kind) {
    case 'block':
      return atom.block === block.id;
    case 'node':
      return atom.node === block.node;
    case 'worker':
      return atom.worker === block.worker;
    case 'changes':
      return changesFiles(block, workers);
    case 'push':
      return pushes(block, workers);
    default:
      return false;
  }
}

/** Returns the signal that a command block emits only if the command exits with 0; null if there is none. */
function passSignal(settings: JsonObject): string | null {
  const table = isObject(settings['signals']) ? settings['signals'] : { 0: SUCCESS, '*': FAILURE };
  const own = table['0'];
  const isOnly = Object.entries(table).every(([code, signal]) => code === '0' || signal !== own);
  return typeof own === 'string' && isOnly && own !== FAILURE ? own : null;
}

/** Returns whether a signal of the block proves that a command of the project has passed. */
function proves(command: string, block: GraphBlock, signal: Signal, graph: Graph, workers: Workers): boolean {
  const argv = graph.commands[command];
  if (signal === SUCCESS && RUNNERS[block.worker] === command) return true;
  if (argv === undefined) return false;
  const isShown = block.evidence.some((one) => one.kind === 'command' && sameArgv(one.command, argv));
  if (signal === SUCCESS && isShown) return true;
  const settings = commandSettings(block, workers);
  return settings !== null && sameArgv(argvOf(settings), argv) && passSignal(settings) === signal;
}

/** Returns whether this happens when the block ends with the signal. */
export function happensAtEnd(atom: Atom, block: GraphBlock, signal: Signal, graph: Graph, workers: Workers): boolean {
  switch (atom.kind) {
    case 'signal':
      return atom.block === block.id && atom.signal === signal;
    case 'check':
      return proves(atom.command, block, signal, graph, workers);
    case 'person':
      return block.worker === MANUAL && signal === SUCCESS;
    default:
      return false;
  }
}

/** The signals that a block can end with. */
interface BlockSignals {
  /** The signals that its worker returns. */
  readonly returned: readonly Signal[];
  /** The signals that the engine emits for it; unhandled ones fail the frame. */
  readonly engine: readonly Signal[];
}

/** A signal that stands for all that no row names. */
function otherSignal(named: ReadonlySet<Signal>): Signal {
  for (let count = 0; ; count += 1) {
    const signal = `SIGNAL:OTHER${count === 0 ? '' : count}` as Signal;
    if (!named.has(signal)) return signal;
  }
}

const takesRejection = ({ transitions }: GraphBlock): boolean =>
  transitions.some(({ signal, action }) => signal === REJECTED || (signal === FAIL_DEFAULT && action.kind !== 'halt'));

const FAILED: readonly Signal[] = [ERROR, TIMEOUT];
const MISREAD: readonly Signal[] = [NO_SIGNAL, VALIDATION_FAIL];

/** Returns the signals that a block can end with. `mentioned`: signals of the block that rules name. */
export function signalsOf(block: GraphBlock, mentioned: readonly Signal[], workers: Workers): BlockSignals {
  const { worker, transitions, evidence } = block;
  if (worker === MANUAL)
    return {
      returned: takesRejection(block) ? [SUCCESS, REJECTED] : [SUCCESS],
      engine: evidence.length === 0 ? [] : [ERROR],
    };
  if (worker === 'Internal:Verdict' || RUNNERS[worker] !== undefined)
    return { returned: [SUCCESS, FAILURE], engine: FAILED };
  const settings = commandSettings(block, workers);
  if (settings !== null) {
    const table = isObject(settings['signals']) ? Object.values(settings['signals']) : [SUCCESS, FAILURE];
    return { returned: [...new Set([...table.filter(isSignal), FAILURE, ERROR])], engine: FAILED };
  }
  const named = new Set<Signal>([SUCCESS, ...mentioned, ...transitions.map(({ signal }) => signal)]);
  named.delete(FAIL_DEFAULT);
  const returned = [...named, otherSignal(named)];
  return { returned, engine: worker.startsWith('Internal:') ? FAILED : [...FAILED, ...MISREAD] };
}
