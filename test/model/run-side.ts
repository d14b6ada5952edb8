import type { JsonValue } from '#protocol/json.ts';
import type { MemoryView, RunOutcome, RunRequest } from '../reference/run-outcome.ts';
import type { Workflow } from './build-workflow.ts';

export type Runner = (
  manifest: Workflow['manifest'],
  start: string,
  script: Workflow['script'],
  request: RunRequest,
) => RunOutcome | Promise<RunOutcome>;

/** The parts of a run on which two implementations must agree: its outcome, and the memory of every execution. */
export interface RunSide {
  readonly outcome: RunOutcome;
  readonly memories: readonly MemoryView[];
  /** A text that is the same for equal runs. */
  readonly fingerprint: string;
}

const sorted = (entries: Readonly<Record<string, JsonValue>>): readonly (readonly [string, JsonValue])[] =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));

const memoryKey = ({ frame, block, visit, attempt }: MemoryView): string =>
  `${frame} ${block}#${String(visit)}@${String(attempt)}`;

const memoryPrint = (memory: MemoryView): readonly unknown[] => [
  memoryKey(memory),
  memory.payload.map(({ type, content }) => `${type} ${content}`),
  memory.contract.signals,
  sorted(memory.inherited),
  sorted(memory.exports),
  memory.returned.map(({ node, signal, exports }) => [node, signal, sorted(exports)]),
];

const outcomePrint = (outcome: RunOutcome): readonly unknown[] => [
  outcome.success,
  outcome.reason,
  sorted(outcome.details),
  outcome.steps,
  outcome.depth,
  outcome.lastNode,
  outcome.lastBlock,
  outcome.path.map(({ step, frame, depth, node, block, visit, attempts, signal, via, action }) => [
    step,
    frame,
    depth,
    node,
    block,
    visit,
    attempts,
    signal,
    via,
    action,
  ]),
  outcome.payload.map(({ type, content, source }) => [type, content, source?.block, source?.visit]),
  sorted(outcome.exports),
];

/** Sorts memories by key, because executions that begin at the same time have no defined order. */
const inOrder = (memories: readonly MemoryView[]): readonly MemoryView[] =>
  [...memories].sort((a, b) => (memoryKey(a) < memoryKey(b) ? -1 : 1));

export const runSide = async (
  run: Runner,
  { manifest, start, script, stepMode, input }: Workflow,
): Promise<RunSide> => {
  const memories: MemoryView[] = [];
  const outcome = await run(manifest, start, script, {
    ...(stepMode ? { stepMode } : {}),
    ...(input === null ? {} : { input }),
    onMemory: (memory) => void memories.push(memory),
  });
  const ordered = inOrder(memories);
  return { outcome, memories: ordered, fingerprint: JSON.stringify([outcomePrint(outcome), ordered.map(memoryPrint)]) };
};
