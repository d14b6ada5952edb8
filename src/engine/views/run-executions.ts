import { isBlobRef, type Place, readBlob, readRun, entriesInForce } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { StepResult } from '#protocol/run.ts';
import path from 'node:path';

/** One execution of a block, or one answer of a person, from the journal. */
export type RecordedExecution = {
  readonly frame: string;
  readonly block: string;
  readonly visit: number;
  readonly at: number;
} & (
  | {
      readonly kind: 'executed';
      readonly attempt: number;
      readonly worker: string;
      readonly began: number;
      readonly signal: string | null;
      readonly append: readonly SegmentDraft[];
      readonly stats: JsonObject;
      readonly failure: string | null;
    }
  | { readonly kind: 'answered'; readonly answer: Answer }
);

const placeOf = (root: string): Place => ({ calls: fileCalls, folder: path.join(root, '.flow') });

/** Parses `/<frame path>/<block>#<visit>`; null for a repair or evidence. */
export function readKey(
  key: string,
): { readonly frame: string; readonly block: string; readonly visit: number } | null {
  const at = key.lastIndexOf('/');
  const found = /^([^#!]+)#(\d+)$/.exec(key.slice(at + 1));
  if (found === null) return null;
  return { frame: key.slice(0, at) || '/', block: found[1] ?? '', visit: Number(found[2]) };
}

function failureText(reason: string, details: JsonObject): string {
  const { message } = details as { readonly message?: unknown };
  return typeof message === 'string' ? message : reason.replaceAll('_', ' ');
}

function outcomeOf(
  stepped: StepResult,
): Pick<Extract<RecordedExecution, { kind: 'executed' }>, 'signal' | 'append' | 'stats' | 'failure'> {
  const nothing = { signal: null, append: [], stats: {}, failure: null };
  if (stepped.kind === 'wait') return { ...nothing, failure: stepped.message };
  if (stepped.kind === 'again') return { ...nothing, failure: stepped.after === 'crash' ? 'Interrupted.' : 'Stopped.' };
  const { outcome } = stepped;
  if (!outcome.ok) {
    const { reason, details } = outcome.failure;
    return { ...nothing, append: outcome.append ?? [], failure: failureText(reason, details) };
  }
  const { signal, append, payload, stats } = outcome.result;
  return { signal, append: payload ?? append, stats, failure: null };
}

function steppedOf(
  place: Place,
  stepped: StepResult | { readonly blob: string; readonly bytes: number },
): StepResult | null {
  if (!isBlobRef(stepped)) return stepped;
  try {
    return JSON.parse(readBlob(place, stepped)) as StepResult;
  } catch {
    return null;
  }
}

/** Returns the executions and answers of a run, in order; empty if its journal can't be read. */
export function runExecutions(root: string, run: RunId): readonly RecordedExecution[] {
  const place = placeOf(root);
  const reading = readRun(place, run);
  if (reading.kind === 'missing') return [];
  const entries = entriesInForce(reading.kind === 'read' ? reading.run.entries : reading.before);
  const begun = new Map<string, { readonly at: number; readonly worker: string }>();
  const executions: RecordedExecution[] = [];
  for (const entry of entries) {
    if (!('key' in entry)) continue;
    const key = readKey(entry.key);
    if (key === null) continue;
    if (entry.type === 'intent') begun.set(`${entry.key} ${entry.attempt}`, entry);
    if (entry.type === 'answer') executions.push({ ...key, kind: 'answered', at: entry.at, answer: entry.answer });
    if (entry.type !== 'result') continue;
    const stepped = steppedOf(place, entry.stepped);
    if (stepped === null) continue;
    const { at: began = entry.at, worker = '' } = begun.get(`${entry.key} ${entry.attempt}`) ?? {};
    executions.push({
      ...key,
      kind: 'executed',
      attempt: entry.attempt,
      worker,
      began,
      at: entry.at,
      ...outcomeOf(stepped),
    });
  }
  return executions;
}
