import type { Attempt } from '#actors/run/index.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import { mostApprovals } from '#machines/run/most-approvals.ts';
import { leastApprovals } from '#protocol/agent-flags.ts';
import type { Approvals } from '#protocol/approvals.ts';
import type { AiFact, OnAiFact } from '#protocol/ai-fact.ts';
import type { AiService } from '#protocol/ai-service.ts';
import { type Graph, type GraphBlock, hasOwnAccess, type WorkerDefinition } from '#protocol/graph.ts';
import type { StepKey } from '#protocol/id.ts';
import type { FindEvidence, FindWorker, RunPorts, StepOutcome, StepSpec } from '#protocol/run.ts';
import type { CompletionRecord, Logs, Services } from '#protocol/services.ts';
import type { ContextQueries } from '#protocol/code-analysis.ts';
import type { Spent } from '#protocol/spent.ts';
import { sumSpent } from '#protocol/call-record.ts';
import { reportingFiles, reportingProcesses } from './guarded-events.ts';
import { escapeGlob, globsOf } from '#logic/queue/glob-pattern.ts';
import type { Exports } from '#protocol/payload.ts';

/** The code analysis for runs without an engine that could start a server. Every query fails. */
export const NO_CONTEXT_SERVER: ContextQueries = {
  ask: () =>
    Promise.resolve({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server runs for this worktree: this run has no engine that could start one',
    }),
};

/** Returns whether the change plan determines what the block may write. */
export const isPlanned = ({ access }: GraphBlock): boolean => access.mode === 'partial' && access.isListed !== true;

/**
 * Adds planned files to a block that lists no paths of its own: those that `Internal:UpdateChangePlan` has exported,
 * each a literal path, and the change plan of the session. `plan` is null outside of a session.
 */
function withPlan(block: GraphBlock, exports: Exports, plan: readonly string[] | null): GraphBlock {
  if (!isPlanned(block)) return block;
  const { access } = block;
  const found = exports['plan.new_files'];
  const identified = (Array.isArray(found) ? found : []).filter(
    (path): path is string => typeof path === 'string' && path !== '' && plan?.includes(path) !== true,
  );
  if (identified.length === 0 && plan === null) return block;
  const paths = [...access.paths, ...identified.map(escapeGlob)];
  const session = plan === null ? {} : { plan: { written: plan, globs: plan.flatMap(globsOf) } };
  return { ...block, access: { ...access, paths, ...session } };
}

/** What executing a step needs in addition to the step. */
export interface StepParts {
  readonly graph: Graph;
  readonly ports: RunPorts;
  readonly findWorker: FindWorker;
  readonly findEvidence: FindEvidence;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  /** The most that agents may do without approval in this run, whatever the manifest allows. */
  readonly approvals?: Approvals | undefined;
  /** The store of complete logs; null to store none. */
  readonly logs: Logs | null;
  /** Returns the record of how an execution's process ended; null if there is no store. */
  readonly completionOf: ((step: StepKey, attempt: number) => CompletionRecord) | null;
}

/** Prepares a step for execution; null if nothing here can execute it. */
type PrepareStep = (
  spec: StepSpec,
  onProgress: (text: string) => void,
  onFact?: OnAiFact,
  /** Runs the step. `begunWith`: the change plan when the step started; the current one by default. */
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

/** Returns the outcome of a step that was refused independently of its worker, or null. */
export const refusal = ({ refused }: StepSpec): StepOutcome | null =>
  refused === undefined ? null : { ok: false, started: false, sideEffects: 'none', failure: refused };

const titleOf = (task: string | null, { taskTitle }: RunPorts): (() => Promise<string | null>) | null =>
  task === null || taskTitle === undefined ? null : () => taskTitle(task);

export function stepPreparer(parts: StepParts): PrepareStep {
  const { graph, ports, findWorker, findEvidence, definitionOf, logs, completionOf } = parts;
  const index = indexGraph(graph);
  const { clock, files, processes, changePlan = null, outbound = null, onExecution = () => undefined } = ports;
  const agents = ports.agents?.service ?? null;
  const ofRun = parts.approvals ?? 'all';
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
    // Changes by other steps must not be attributed to the agent.
    const guard = isWatched || agents === null ? null : agents.guard;
    const services: Services = {
      clock,
      logs,
      changePlan,
      changes: ports.changes ?? null,
      pullRequests: ports.pullRequests ?? null,
      outbound,
      ai: watched(models, spending.onFact),
      files: guard === null || files === null ? files : reportingFiles(files, guard),
      processes: guard === null || processes === null ? processes : reportingProcesses(processes, guard),
      agents:
        agents === null ? null : { ...agents, most: leastApprovals([ofRun, mostApprovals(index, memory.system)]) },
      completion: role === 'block' && completionOf !== null ? completionOf(memory.system.step, attempt) : null,
      context: files === null ? null : (ports.context ?? NO_CONTEXT_SERVER),
      taskTitle: titleOf(memory.system.task, ports),
      contextSlices: graph.contextSlices,
      commands: graph.commands,
      allowEmpty: graph.allowEmpty ?? [],
      block: withPlan(block, memory.exports, plan),
      definition,
      progress,
    };
    const limitMs = isEvidence ? evidenceLimit(block, piece) : block.timeoutMs;
    const { spent } = spending;
    return { name, worker, memory, services, block, plan, definition, clock, limitMs, onExecution, spent };
  };
}

/** Observes model calls where they are made, instead of trusting what the worker reports. */
const watched = (models: AiService | null, onFact: OnAiFact): AiService | null =>
  models === null ? null : { ...models, call: (order, signal, onText) => models.call(order, signal, onText, onFact) };

/** Sums what the calls of one execution have used. */
function watchSpending(onFact: OnAiFact = () => undefined) {
  let spent: Spent | null = null;
  return {
    spent: () => spent,
    onFact: (fact: AiFact): void => {
      if (fact.type === 'ai.call.finished' && (fact.tokens > 0 || fact.cost_micro_usd !== 0)) {
        const more = { tokens: fact.tokens, microUsd: fact.cost_micro_usd };
        spent = spent === null ? more : sumSpent(spent, more);
      }
      onFact(fact);
    },
  };
}

/**
 * Returns the time limit for checking a piece of evidence. For a command it is longer than the command's own limit.
 * Other checks, such as reading a file on a dead network drive, have no other limit.
 */
function evidenceLimit({ evidence }: GraphBlock, piece: number): number {
  const found = evidence[piece];
  return (found?.kind === 'command' && found.timeoutMs !== null ? found.timeoutMs : EVIDENCE_MS) + GRACE_MS;
}
