import type { Attempt } from '#actors/run/index.ts';
import { together } from '#machines/run/count-spending.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import { mostApprovals } from '#machines/run/most-approvals.ts';
import type { AiFact, OnAiFact } from '#protocol/ai-fact.ts';
import type { AiService } from '#protocol/ai-service.ts';
import { type Graph, type GraphBlock, hasOwnAccess, type WorkerDefinition } from '#protocol/graph.ts';
import type { StepKey } from '#protocol/id.ts';
import type { FindEvidence, FindWorker, RunPorts, StepOutcome, StepSpec } from '#protocol/run.ts';
import type { CompletionRecord, Logs, Services } from '#protocol/services.ts';
import type { Spent } from '#protocol/spent.ts';
import { NO_CONTEXT_SERVER } from './no-context-server.ts';
import { toldFiles, toldProcesses } from './guarded-events.ts';
import { isPlanned, withPlan } from './with-plan.ts';

/** What executing a step needs beside the step itself. */
export interface StepParts {
  readonly graph: Graph;
  readonly ports: RunPorts;
  readonly findWorker: FindWorker;
  readonly findEvidence: FindEvidence;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  /** Where whole logs are kept; null: nowhere. */
  readonly logs: Logs | null;
  /** Where it is kept how the process of an execution ended; null: nowhere. */
  readonly completionOf: ((step: StepKey, attempt: number) => CompletionRecord) | null;
}

/** A step as something that can be executed; null when nobody here executes it. */
export type PrepareStep = (
  spec: StepSpec,
  onProgress: (text: string) => void,
  onFact?: OnAiFact,
  /** The session's change plan, as it was when this step began; else as it stands. */
  begunWith?: readonly string[],
) => Attempt | null;

const EVIDENCE_MS = 600_000;
const GRACE_MS = 10_000;

export const nobody = ({ worker }: StepSpec): StepOutcome => ({
  ok: false,
  started: false,
  sideEffects: 'none',
  failure: {
    reason: 'worker_error',
    details: {
      worker,
      message: `${worker} can't be executed here: script its answer, or use a worker of another kind`,
    },
    errorType: null,
  },
});

/** Of a step that can't be executed whoever does it; null: it can. */
export const refusal = ({ refused }: StepSpec): StepOutcome | null =>
  refused === undefined ? null : { ok: false, started: false, sideEffects: 'none', failure: refused };

const titleOf = (task: string | null, { taskTitle }: RunPorts): (() => Promise<string | null>) | null =>
  task === null || taskTitle === undefined ? null : () => taskTitle(task);

export function stepPreparer(parts: StepParts): PrepareStep {
  const { graph, ports, findWorker, findEvidence, definitionOf, logs, completionOf } = parts;
  const index = indexGraph(graph);
  const { clock, files, processes, changePlan = null, outbound = null, onExecution = () => undefined } = ports;
  const agents = ports.agents?.service ?? null;
  const models = ports.models?.serviceFor(graph) ?? null;
  return ({ worker: name, role, attempt, piece = 0, memory }, progress, onFact, begunWith) => {
    const block = index.block(memory.system.block);
    const isEvidence = role === 'evidence';
    const worker = isEvidence ? findEvidence(block, piece) : findWorker(name, role === 'block' ? block.id : null);
    if (worker === null) return null;
    const definition = isEvidence ? null : definitionOf(name);
    const isWatched = definition?.kind === 'agent' || (worker.guardsAccess === true && hasOwnAccess(block.access));
    const spending = watchSpending(onFact);
    const plan = isPlanned(block) ? (begunWith ?? changePlan?.written() ?? null) : null;
    // What others do in the folder of an agent is not the agent's.
    const guard = isWatched || agents === null ? null : agents.guard;
    const services: Services = {
      clock,
      logs,
      changePlan,
      outbound,
      ai: watched(models, spending.onFact),
      files: guard === null || files === null ? files : toldFiles(files, guard),
      processes: guard === null || processes === null ? processes : toldProcesses(processes, guard),
      agents: agents === null ? null : { ...agents, most: mostApprovals(index, memory.system) },
      completion: role === 'block' && completionOf !== null ? completionOf(memory.system.step, attempt) : null,
      context: files === null ? null : (ports.context ?? NO_CONTEXT_SERVER),
      taskTitle: titleOf(memory.system.task, ports),
      contextSlices: graph.contextSlices,
      commands: graph.commands,
      block: withPlan(block, memory.exports, plan),
      definition,
      progress,
    };
    const limitMs = isEvidence ? evidenceLimit(block, piece) : block.timeoutMs;
    const { spent } = spending;
    return { name, worker, memory, services, block, plan, definition, clock, limitMs, onExecution, spent };
  };
}

/** What a worker says of its calls is not asked: they are watched where they are made. */
const watched = (models: AiService | null, onFact: OnAiFact): AiService | null =>
  models === null ? null : { ...models, call: (order, signal, onText) => models.call(order, signal, onText, onFact) };

/** What the calls of one execution have used, as they end. */
function watchSpending(onFact: OnAiFact = () => undefined) {
  let spent: Spent | null = null;
  return {
    spent: () => spent,
    onFact: (fact: AiFact): void => {
      if (fact.type === 'ai.call.finished' && (fact.tokens > 0 || fact.cost_micro_usd !== 0)) {
        const more = { tokens: fact.tokens, microUsd: fact.cost_micro_usd };
        spent = spent === null ? more : together(spent, more);
      }
      onFact(fact);
    },
  };
}

/** A command ends by its own limit, and is given time to; what else hangs, a file on a dead network drive, ends here. */
function evidenceLimit({ evidence }: GraphBlock, piece: number): number {
  const found = evidence[piece];
  return (found?.kind === 'command' && found.timeoutMs !== null ? found.timeoutMs : EVIDENCE_MS) + GRACE_MS;
}
