import type { AnyStateMachine } from 'xstate';
import { applyResult } from '#machines/run/apply-result.ts';
import { assembleMemory, NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import { checkResult } from '#machines/run/check-result.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import type { FrameContext } from '#machines/run/implementations.ts';
import { link as linkMachines } from '#machines/run/link.ts';
import { holdPayload } from '#machines/run/payload-log.ts';
import { createRunState } from '#machines/run/run-state.ts';
import type { ExecuteVisit } from '#machines/run/visit.logic.ts';
import type { MachineConfig } from '#protocol/compiled.ts';
import type { Condition } from '#protocol/condition.ts';
import type { RunFact } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { Start } from '#protocol/run.ts';
import { ERROR } from '#protocol/signal.ts';
import type { BlockMemory, WorkerResult } from '#protocol/worker.ts';

/** A compiled workflow, or the document that `robosmith export --format json` prints. */
export interface LinkableConfigs {
  readonly graph: Graph;
  readonly frame: MachineConfig;
  readonly nodes: Readonly<Record<string, MachineConfig>>;
}

export interface Implementations {
  /** Executes a block: pure function of its memory, as far as the machines can tell. */
  readonly worker: (memory: BlockMemory, signal: AbortSignal) => Promise<WorkerResult> | WorkerResult;
  readonly conditions?: Readonly<Record<string, Condition>>;
  readonly onFact?: (fact: RunFact) => void;
}

export interface Linked {
  /** The root machine: `createActor(root, { input: input({ node: 'Main' }) })`. Its output is `{ kind, frame }`. */
  readonly root: AnyStateMachine;
  /** Input for one run, and the path it takes. */
  input(start: Start): FrameContext & { readonly path: readonly PathEntry[] };
}

const executor =
  ({ worker }: Implementations): ExecuteVisit =>
  async (frame, visit, signal) => {
    visit.attempts += 1;
    const whereabouts = { session: null, task: null, worktree: null };
    const memory = assembleMemory(frame, visit, {
      persona: null,
      artifact: NO_ARTIFACT,
      whereabouts,
      payload: null,
      now: frame.run.now,
    });
    try {
      const check = checkResult(await worker(memory, signal));
      if (!check.ok)
        return {
          kind: 'signalled',
          signal: ERROR,
          failure: { reason: 'worker_contract_violation', details: { message: check.problem }, errorType: null },
        };
      applyResult(frame, visit, check.result);
      return { kind: 'signalled', signal: check.result.signal, failure: null };
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return {
        kind: 'signalled',
        signal: ERROR,
        failure: {
          reason: 'worker_error',
          details: { message },
          errorType: thrown instanceof Error ? thrown.name : null,
        },
      };
    }
  };

/**
 * Configs as ordinary XState machines, for `createActor` in any XState program (spec/engine.md "The library").
 * A flagged block waits in its `@HALT` state for the events `@retry` and `@next`.
 */
export function link(configs: LinkableConfigs, implementations: Implementations): Linked {
  const index = indexGraph(configs.graph);
  const config = (id: string): MachineConfig => {
    const found = configs.nodes[id];
    if (found === undefined) throw new RangeError(`the configs have no node "${id}"`);
    return found;
  };
  const machines = linkMachines(
    { ...configs, config },
    { execute: executor(implementations), ask: () => new Promise(() => undefined) },
  );
  const conditions = new Map([...BUILT_IN_CONDITIONS, ...Object.entries(implementations.conditions ?? {})]);
  return {
    root: machines.frame,
    input: (start) => {
      const state = createRunState({
        id: 'linked' as RunId,
        index,
        conditions,
        now: () => 0,
        record: implementations.onFact ?? (() => undefined),
        onStill: () => undefined,
      });
      const landing = 'block' in start ? start.block : index.node(start.node).entryBlock;
      return { frame: openRootFrame(state, landing, holdPayload([])), path: state.path };
    },
  };
}
