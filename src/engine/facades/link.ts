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
import type { MachineConfig } from '#protocol/compiled.ts';
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

/** A compiled workflow, or the document that `robosmith export --format json` prints. */
export interface LinkableConfigs {
  readonly graph: Graph;
  readonly frame: MachineConfig;
  readonly nodes: Readonly<Record<string, MachineConfig>>;
}

export interface Implementations {
  /** Who executes a block: by the worker's name, else the one called `*`. */
  readonly workers: Readonly<Record<string, Worker>>;
  readonly conditions?: Readonly<Record<string, Condition>>;
  readonly onFact?: (fact: RunFact) => void;
}

export interface Linked {
  /** The root machine: `createActor(root, { input: input({ node: 'Main' }) })`. Its output is `{ kind, frame }`. */
  readonly root: AnyStateMachine;
  /** Input for one run, and the path it takes. */
  input(start: Start): FrameContext & { readonly path: readonly PathEntry[] };
  /** Blocks that wait for a person: flagged ones and gates. */
  halts(): readonly Halt[];
  /** `abort` is refused: stop the actor instead. */
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
}

const ID = 'linked' as RunId;

/**
 * Configs as ordinary XState machines, for `createActor` in any XState program (spec/engine.md "The library").
 * Blocks execute as in a run: memory, time limits, recovery, gates. What is a run's own stays out: artifacts, scripts, the Response.
 */
export function link(configs: LinkableConfigs, implementations: Implementations): Linked {
  const { graph } = configs;
  const { workers } = implementations;
  const index = indexGraph(graph);
  const ports = { ...realPorts('.'), files: null, processes: null };
  const definitionOf = definitionsOf(graph);
  const findWorker = (name: string): Worker | null => workers[name] ?? workers['*'] ?? null;
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
    askInVisit: halts.ask,
    whereabouts: { session: null, task: null, worktree: null },
    stepMode: false,
    clock: ports.clock,
    random: ports.random,
    spanOf: () => ({ span_id: '', parent_span_id: '' }),
    onMemory: null,
  });
  const config = (id: string): MachineConfig => {
    const found = configs.nodes[id];
    if (found === undefined) throw new RangeError(`the configs have no node "${id}"`);
    return found;
  };
  const machines = linkMachines({ ...configs, config });
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
