import { callLogFolder } from '#io/project/call-log-folder.ts';
import {
  type CallListing,
  type CallReading,
  listCalls,
  openRecords,
  type LogPlace,
  readCall,
  searchCalls,
} from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { sumCalls } from '#logic/calls/sum-calls.ts';
import { summariseCall } from '#logic/calls/summarise-call.ts';
import { type CallSummary, spentIn } from '#protocol/call-record.ts';
import type { Spent } from '#protocol/spent.ts';

const placeOf = (root: string): LogPlace => ({ calls: fileCalls, folder: callLogFolder(root) });

/** Lists all logged model calls of a project, newest first. */
export const projectCalls = (root: string): CallListing => listCalls(placeOf(root));

/** Returns all calls that cost something: the logged ones, and those that have not ended, with what has arrived so far. */
export function paidCalls(root: string): readonly CallSummary[] {
  const place = placeOf(root);
  const open = openRecords(place).map((record) => summariseCall(record, ''));
  return [...open, ...listCalls(place).calls];
}

/** Returns what the model calls and agents of each run have used. Every place that prints costs takes them from here. */
export function spentByRun(root: string): ReadonlyMap<string, Spent> {
  const { groups } = sumCalls(
    paidCalls(root).filter(({ run }) => run !== null),
    'run',
  );
  return new Map(groups.map((sum) => [sum.name, spentIn(sum)]));
}

/** Reads one call by its id or a unique prefix. */
export const projectCall = (root: string, text: string): CallReading => readCall(placeOf(root), text);

/** Returns the ids of the newest calls whose request or answer contains a text. */
export const projectCallsWith = (root: string, text: string): readonly string[] => searchCalls(placeOf(root), text);
