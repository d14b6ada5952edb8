import type { SideEffects } from '#protocol/graph.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { Script, ScriptEntry } from '#protocol/script.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { editAnswer } from './ai/edit-answer.ts';
import { lookedAt } from './evidence.ts';
import { readAnswer, type AnswerRules } from './ai/read-answer.ts';

/** Executions so far of each block in each FORK branch; one for a run. */
export type ScriptCounts = Map<string, number>;

interface Counted {
  readonly script: Script;
  readonly counts: ScriptCounts;
  readonly worker: string;
  /** A repair worker has its own list and its own count. */
  readonly role: 'block' | 'repair';
}

interface Scripted extends Counted {
  readonly rules: AnswerRules;
  /** The block's own class, when it names one. */
  readonly sideEffects: SideEffects | null;
}

/** The innermost FORK branch of a frame path: its part up to the last `[…]`. */
const branchOf = (frame: string): string => frame.slice(0, frame.lastIndexOf(']') + 1);

const listFor = ({ script: { answers }, worker, role }: Counted, block: string): readonly ScriptEntry[] | null =>
  (role === 'block' ? answers.get(block) : undefined) ?? answers.get(worker) ?? answers.get('*') ?? null;

/** Has the script an answer for this block? */
export const isScripted = ({ answers }: Script, worker: string, block: string | null): boolean =>
  (block !== null && answers.has(block)) || answers.has(worker) || answers.has('*');

/** Of a repair worker it has its name. */
const countKey = (role: Scripted['role'], worker: string, block: string, frame: string): string =>
  `${role === 'repair' ? `${worker}@` : ''}${block} ${branchOf(frame)}`;

/** An execution that is remembered from before has used up its entry. */
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

/** The entry of the execution before; null when there was none. */
function lastEntry(scripted: Counted, block: string, frame: string): ScriptEntry | null {
  const used = scripted.counts.get(countKey('block', scripted.worker, block, frame)) ?? 0;
  const list = listFor(scripted, block) ?? [];
  return used === 0 ? null : (list[Math.min(used, list.length) - 1] ?? null);
}

/** Nobody must take it for an answer that was made (spec/workers.md "AI workers"). One that names a segment keeps that one. */
const marked = (drafts: readonly SegmentDraft[] = []): readonly SegmentDraft[] =>
  drafts.map((draft) => (draft.id === undefined ? { ...draft, meta: { ...draft.meta, scripted: true } } : draft));

interface Told {
  readonly services: Services;
  readonly signal: AbortSignal;
}

/** As a model's answer would be read; edits in it are made, and what came of them is not scripted. */
async function answerOf(text: string, rules: AnswerRules, { services, signal }: Told): Promise<WorkerResult> {
  const answer = readAnswer(text, rules);
  const said = { ...answer, append: marked(answer.append) };
  const { edits } = rules;
  // Nobody waits for it any more.
  if (edits !== null) signal.throwIfAborted();
  return edits === null ? said : editAnswer({ text, said, cutOff: null }, edits, services);
}

async function resultOf(entry: ScriptEntry, rules: AnswerRules, told: Told): Promise<WorkerResult> {
  if ('error' in entry) throw new Error(entry.error);
  if ('text' in entry) return answerOf(entry.text, rules, told);
  const { signal, append, payload, exports } = entry;
  return {
    signal,
    ...(append === undefined ? {} : { append: marked(append) }),
    ...(payload === undefined ? {} : { payload: marked(payload) }),
    ...(exports === undefined ? {} : { exports }),
  };
}

/** A worker that answers from a script: for demos, dry runs and tests (spec/cli.md "Scripts"). */
export const scriptedWorker = (scripted: Scripted): Worker => ({
  sideEffects: 'idempotent',
  sideEffectsOf: (memory): SideEffects =>
    nextEntry(scripted, memory).entry?.side_effects ?? scripted.sideEffects ?? 'idempotent',
  execute: async (memory, services, signal) => {
    const { clock } = services;
    const { key, entry } = nextEntry(scripted, memory);
    if (entry === null)
      throw new Error(`the script has no answer for ${memory.system.block}, its worker ${scripted.worker}, or "*"`);
    scripted.counts.set(key, (scripted.counts.get(key) ?? 0) + 1);
    await clock.sleep(entry.delay_ms ?? 0, signal, memory.system.frame);
    return resultOf(entry, scripted.rules, { services, signal });
  },
});

/** Evidence of a block where nothing can be looked at: what the script says of the block's last execution, else it holds. */
export const scriptedEvidence = (script: Script, counts: ScriptCounts, worker: string, piece: number): Worker => ({
  sideEffects: 'none',
  sideEffectsOf: () => 'none',
  execute: async ({ system }, { clock }, signal) => {
    await clock.sleep(0, signal, system.frame);
    const entry = lastEntry({ script, counts, worker, role: 'block' }, system.block, system.frame);
    const log = piece === 0 ? entry?.evidence_fails : undefined;
    return log === undefined
      ? lookedAt({ held: true, summary: 'the script says so', meta: { scripted: true } })
      : lookedAt({ held: false, summary: 'the script says no', log, meta: { scripted: true } });
  },
});
