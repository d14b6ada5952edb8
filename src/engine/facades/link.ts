import type { AnyStateMachine } from 'xstate';
import { createHalts, executeVisit, flagOf } from '#actors/run/index.ts';
import { NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import type { FrameContext } from '#machines/run/implementations.ts';
import { link as linkMachines } from '#machines/run/link.ts';
import { holdPayload } from '#machines/run/payload-log.ts';
import { createRunState } from '#machines/run/run-state.ts';
import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Condition } from '#protocol/condition.ts';
import type { RunFact } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Halt, PathEntry } from '#protocol/response.ts';
import type { AnswerOutcome, Start } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { createInMemoryContext } from '../backends/in-memory.ts';
import { findRealEvidence } from '../run/find-evidence.ts';
import { definitionsOf } from '../run/find-worker.ts';
import { realPorts } from '../run/ports.ts';
import { checkConditions, checkObject, checkWorkers } from './check-arguments.ts';

/** The document that `robosmith export --format json` prints, or the `configs` of its TypeScript module. */
export interface ExportedConfigs {
  readonly graph: object;
  readonly frame: object;
  readonly nodes: Readonly<Record<string, object>>;
}

/** The configs that `link` converts to machines. */
export type LinkableConfigs = CompiledWorkflow | ExportedConfigs;

/** The code that linked machines call. */
export interface Implementations {
  /** Workers by name; `*` executes all others. */
  readonly workers: Readonly<Record<string, Worker>>;
  readonly conditions?: Readonly<Record<string, Condition>>;
  readonly onFact?: (fact: RunFact) => void;
}

/** The machines of a workflow, ready for XState. */
export interface Linked {
  /** The root machine: `createActor(root, { input: input({ node: 'Main' }) })`. Its output is `{ kind, frame }`. */
  readonly root: AnyStateMachine;
  /** Returns the input for one run. The run adds each step to `path`. */
  input(start: Start): FrameContext & { readonly path: readonly PathEntry[] };
  /** Blocks that wait for a person: flagged ones and gates. */
  halts(): readonly Halt[];
  /** Answers a halt. `abort` is refused: stop the actor instead. */
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
}

const ID = 'linked' as RunId;

/** Returns the workflow of the configs, whichever form they have. Throws `usage` for anything else. */
function linkable(configs: LinkableConfigs): Pick<CompiledWorkflow, 'graph' | 'frame' | 'config'> {
  checkObject('configs', configs, 'a compiled workflow, or what `robosmith export` prints');
  if ('config' in configs) return configs;
  checkObject('configs.graph', configs.graph);
  checkObject('configs.frame', configs.frame);
  checkObject('configs.nodes', configs.nodes);
  return {
    // The compiler of this project exported it, so it has the shape of a compiled workflow's graph.
    graph: configs.graph as Graph,
    frame: configs.frame as MachineConfig,
    config: (id) => {
      const found = Object.hasOwn(configs.nodes, id) ? configs.nodes[id] : undefined;
      if (found === undefined) throw new RoboSmithError('usage', `The configs have no node "${id}".`, { node: id });
      return found as MachineConfig;
    },
  };
}

/**
 * Converts a compiled workflow to ordinary XState machines, for `createActor` in any XState program. Blocks execute as
 * in a run: memory, time limits, recovery, gates. Artifacts, scripts and the Response belong to runs and are left out.
 * Throws `usage` for arguments of the wrong kind.
 */
export function link(configs: LinkableConfigs, implementations: Implementations): Linked {
  const workflow = linkable(configs);
  const { graph } = workflow;
  checkObject('implementations', implementations);
  const { workers } = implementations;
  checkObject('implementations.workers', workers);
  checkWorkers(workers);
  checkConditions(implementations.conditions);
  const index = indexGraph(graph);
  const ports = { ...realPorts('.'), files: null, processes: null };
  const definitionOf = definitionsOf(graph);
  const ownWorker = (name: string): Worker | null => (Object.hasOwn(workers, name) ? (workers[name] ?? null) : null);
  const findWorker = (name: string): Worker | null => ownWorker(name) ?? ownWorker('*');
  const context = createInMemoryContext(ID, { graph, ports, findWorker, findEvidence: findRealEvidence, definitionOf });
  const halts = createHalts({
    clock: ports.clock,
    context,
    scripted: [],
    answersFor: () => [],
    abort: () => undefined,
    onResume: () => undefined,
  });
  const execute = executeVisit({
    context,
    findWorker,
    definitionOf,
    readArtifact: () => Promise.resolve(NO_ARTIFACT),
    readSlice: null,
    askInVisit: halts.ask,
    whereabouts: { session: null, task: null, worktree: null },
    stepMode: false,
    clock: ports.clock,
    random: ports.random,
    spanOf: () => ({ span_id: '', parent_span_id: '' }),
    onMemory: null,
  });
  const machines = linkMachines(workflow);
  const conditions = new Map([...BUILT_IN_CONDITIONS, ...Object.entries(implementations.conditions ?? {})]);
  return {
    root: machines.frame,
    input: (start) => {
      const state = createRunState({
        id: ID,
        index,
        conditions,
        effects: {
          execute,
          ask: (frame, visit, signal) => halts.ask(frame, visit, flagOf(visit), signal),
        },
        now: ports.clock.now,
        keepPath: () => undefined,
        record: implementations.onFact ?? (() => undefined),
        onStill: () => undefined,
      });
      const landing = 'block' in start ? start.block : index.node(start.node).entryBlock;
      return { frame: openRootFrame(state, landing, holdPayload([])), path: state.path };
    },
    halts: halts.waiting,
    answer: (id, answer) =>
      answer.verb === 'abort'
        ? { accepted: false, why: 'not_allowed', allowed: ['retry', 'proceed', 'next', 'jump'] }
        : halts.answer(id, answer),
  };
}
