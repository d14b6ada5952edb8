import type { SideEffects } from '#protocol/graph.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { Script, ScriptEntry } from '#protocol/script.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { editAnswer } from './ai/edit-answer.ts';
import { evidenceResult } from './evidence.ts';
import { readAnswer, type AnswerRules } from './ai/read-answer.ts';

/** The number of scripted executions so far, by block and FORK branch. One map serves one run. */
export type ScriptCounts = Map<string, number>;

interface Counted {
  readonly script: Script;
  readonly counts: ScriptCounts;
  readonly worker: string;
  /** Selects the list of answers and its counter. A repair worker has its own, separate from those of the block. */
  readonly role: 'block' | 'repair';
}

interface Scripted extends Counted {
  readonly rules: AnswerRules;
  /** The side-effect class that the block declares, or null if it declares none. */
  readonly sideEffects: SideEffects | null;
}

/** Returns the innermost FORK branch of a frame path, which is its part up to the last `[…]`. */
const branchOf = (frame: string): string => frame.slice(0, frame.lastIndexOf(']') + 1);

const listFor = ({ script: { answers }, worker, role }: Counted, block: string): readonly ScriptEntry[] | null =>
  (role === 'block' ? answers.get(block) : undefined) ?? answers.get(worker) ?? answers.get('*') ?? null;

/** Returns true if the script has an answer for a block, by its id, its worker's name or `*`. */
export const isScripted = ({ answers }: Script, worker: string, block: string | null): boolean =>
  (block !== null && answers.has(block)) || answers.has(worker) || answers.has('*');

/** Returns the key of an execution counter. A repair worker's key also contains the worker's name. */
const countKey = (role: Scripted['role'], worker: string, block: string, frame: string): string =>
  `${role === 'repair' ? `${worker}@` : ''}${block} ${branchOf(frame)}`;

/**
 * Advances the counter of a scripted block for an execution whose result recovery reads from the journal, so that the
 * next execution gets the next entry of the script.
 */
export function countScripted(
  counts: ScriptCounts,
  role: Scripted['role'],
  worker: string,
  block: string,
  frame: string,
): void {
  const key = countKey(role, worker, block, frame);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function nextEntry(
  scripted: Scripted,
  memory: BlockMemory,
): { readonly key: string; readonly entry: ScriptEntry | null } {
  const { block, frame } = memory.system;
  const key = countKey(scripted.role, scripted.worker, block, frame);
  const list = listFor(scripted, block) ?? [];
  return { key, entry: list[Math.min(scripted.counts.get(key) ?? 0, list.length - 1)] ?? null };
}

/** Returns the script entry that the block's last execution used, or null if the block was not executed yet. */
function lastEntry(scripted: Counted, block: string, frame: string): ScriptEntry | null {
  const used = scripted.counts.get(countKey('block', scripted.worker, block, frame)) ?? 0;
  const list = listFor(scripted, block) ?? [];
  return used === 0 ? null : (list[Math.min(used, list.length) - 1] ?? null);
}

/**
 * Marks segments as scripted, so that they are not mistaken for a model's answers. A segment that already has an id is
 * left unchanged.
 */
const marked = (drafts: readonly SegmentDraft[] = []): readonly SegmentDraft[] =>
  drafts.map((draft) => (draft.id === undefined ? { ...draft, meta: { ...draft.meta, scripted: true } } : draft));

interface WorkerContext {
  readonly services: Services;
  readonly signal: AbortSignal;
}

/**
 * Reads a scripted text in the same way as a model's answer. Its edits are applied like those of a model, so the
 * segments that report them are not marked as scripted.
 */
async function answerOf(text: string, rules: AnswerRules, { services, signal }: WorkerContext): Promise<WorkerResult> {
  const answer = readAnswer(text, rules);
  const said = { ...answer, append: marked(answer.append) };
  const { edits } = rules;
  // An aborted run must not change files.
  if (edits !== null) signal.throwIfAborted();
  return edits === null ? said : editAnswer({ text, said, cutOff: null }, edits, services);
}

async function resultOf(entry: ScriptEntry, rules: AnswerRules, context: WorkerContext): Promise<WorkerResult> {
  if ('error' in entry) throw new Error(entry.error);
  if ('text' in entry) return answerOf(entry.text, rules, context);
  const { signal, append, payload, exports } = entry;
  return {
    signal,
    ...(append === undefined ? {} : { append: marked(append) }),
    ...(payload === undefined ? {} : { payload: marked(payload) }),
    ...(exports === undefined ? {} : { exports }),
  };
}

/** Returns a worker that answers from a script, for demonstrations, simulations and tests. */
export const scriptedWorker = (scripted: Scripted): Worker => ({
  sideEffects: 'idempotent',
  sideEffectsOf: (memory): SideEffects =>
    nextEntry(scripted, memory).entry?.side_effects ?? scripted.sideEffects ?? 'idempotent',
  execute: async (memory, services, signal) => {
    const { clock } = services;
    const { key, entry } = nextEntry(scripted, memory);
    if (entry === null)
      throw new Error(
        `the script has no answer for the block ${memory.system.block}, its worker ${scripted.worker}, or "*"`,
      );
    scripted.counts.set(key, (scripted.counts.get(key) ?? 0) + 1);
    await clock.sleep(entry.delay_ms ?? 0, signal, memory.system.frame);
    return resultOf(entry, scripted.rules, { services, signal });
  },
});

/**
 * Returns a worker that reads the result of an evidence check from the script, for simulations, which have no files.
 * Evidence holds unless the script's entry for the block's last execution sets `evidence_fails`.
 */
export const scriptedEvidence = (script: Script, counts: ScriptCounts, worker: string, piece: number): Worker => ({
  sideEffects: 'none',
  sideEffectsOf: () => 'none',
  execute: async ({ system }, { clock }, signal) => {
    await clock.sleep(0, signal, system.frame);
    const entry = lastEntry({ script, counts, worker, role: 'block' }, system.block, system.frame);
    const log = piece === 0 ? entry?.evidence_fails : undefined;
    return log === undefined
      ? evidenceResult({ held: true, summary: 'confirmed by the script', meta: { scripted: true } })
      : evidenceResult({ held: false, summary: 'rejected by the script', log, meta: { scripted: true } });
  },
});
