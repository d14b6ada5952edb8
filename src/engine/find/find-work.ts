import path from 'node:path';
import { type CallQuery, findCalls } from '#actors/call-log/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { callLogFolder } from '#io/project/call-log-folder.ts';
import { calledName } from '#logic/calls/sum-calls.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { FoundWork } from '#protocol/found-work.ts';
import { type IndexedRun, indexedRuns, namesIn } from '../forecast/past-runs.ts';

export type { CallQuery as WorkQuery } from '#actors/call-log/index.ts';

const isOutcome = ({ outcome, reason }: IndexedRun, wanted: string): boolean =>
  (outcome ?? 'unfinished') === wanted || reason === wanted;

/** Returns whether a run matches. Its text is its input, and the message with which it ended. */
function isWanted(one: IndexedRun, { text, outcome, block, model, run, costAbove, since }: CallQuery): boolean {
  const names = block === null && model === null ? { blocks: [], models: [] } : namesIn(one);
  return (
    (text === null || one.text.toLowerCase().includes(text.toLowerCase())) &&
    (outcome === null || isOutcome(one, outcome)) &&
    (block === null || names.blocks.some((name) => name.includes(block))) &&
    (model === null || names.models.some((name) => name.includes(model))) &&
    (run === null || one.run.startsWith(run)) &&
    (costAbove === null || one.use.microUsd > costAbove) &&
    (since === null || one.at >= since)
  );
}

const foundRun = ({ run, at, start, outcome, reason, use }: IndexedRun): FoundWork => ({
  kind: 'run',
  id: run,
  started_at: at,
  what: start,
  outcome: reason ?? outcome ?? 'unfinished',
  run,
  model: null,
  micro_usd: use.microUsd,
  open: `robosmith runs show ${run}`,
});

const foundCall = (one: CallSummary): FoundWork => ({
  kind: 'call',
  id: one.call,
  started_at: one.started_at,
  what: one.block ?? '',
  outcome: one.outcome,
  run: one.run,
  model: calledName(one),
  micro_usd: one.micro_usd,
  open: `robosmith calls show ${one.call}`,
});

/** What a search has found. */
export interface WorkSearch {
  /** Newest first. */
  readonly found: readonly FoundWork[];
  /** True if the limit left out older ones. */
  readonly more: boolean;
}

/** Searches the runs and the logged calls of a project. */
export function findWork(root: string, query: CallQuery, most: number, now: number): WorkSearch {
  const place: Place = { calls: fileCalls, folder: path.join(root, '.flow') };
  const runs = indexedRuns(place);
  const log = { calls: fileCalls, folder: callLogFolder(root) };
  const calls = findCalls(log, query, most + 1, now);
  const found = [...runs.filter((one) => isWanted(one, query)).map(foundRun), ...calls.map(foundCall)];
  found.sort((one, other) => other.started_at - one.started_at);
  return { found: found.slice(0, most), more: found.length > most };
}
