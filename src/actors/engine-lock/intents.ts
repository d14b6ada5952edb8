import type { NodeId, RunId } from '#protocol/id.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { type ProcessIdentity, readIdentity } from '#protocol/process-identity.ts';

export interface RunIntent extends ProcessIdentity {
  readonly run: RunId;
  readonly node: NodeId;
  /** The number of the attempt, from 1: one more than the number of executions that a crash cut off. */
  readonly attempt_n: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface TaskIntent {
  readonly task_id: string;
  readonly attempt_n: number;
}

/** The content of `.flow/intent.lock`: runs and tasks that were dispatched and are not known to have ended. */
export interface Intents {
  readonly runs: readonly RunIntent[];
  readonly tasks: readonly TaskIntent[];
}

type Entry = Readonly<Record<string, unknown>>;

const isAttempt = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function readRun(entry: Entry): RunIntent | null {
  const who = readIdentity(entry);
  const { run, node, attempt_n, since } = entry;
  if (who === null || typeof run !== 'string' || typeof node !== 'string') return null;
  if (!isAttempt(attempt_n) || typeof since !== 'number') return null;
  return { run: run as RunId, node: node as NodeId, attempt_n, since, ...who };
}

const readTask = ({ task_id, attempt_n }: Entry): TaskIntent | null =>
  typeof task_id === 'string' && isAttempt(attempt_n) ? { task_id, attempt_n } : null;

/** Reads all entries. Returns null if any entry is unreadable, since it may be the one that the caller needs. */
function readList<Value>(list: unknown, read: (entry: Entry) => Value | null): readonly Value[] | null {
  if (!Array.isArray(list)) return null;
  const values: Value[] = [];
  for (const entry of list as readonly unknown[]) {
    const value = typeof entry === 'object' && entry !== null ? read(entry as Entry) : null;
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

/** Returns null if the file is damaged. */
export function decodeIntents(bytes: Uint8Array): Intents | null {
  const kept = parseJsonObject(Buffer.from(bytes).toString());
  if (kept?.['version'] !== 1) return null;
  const runs = readList(kept['runs'], readRun);
  const tasks = readList(kept['tasks'], readTask);
  return runs === null || tasks === null ? null : { runs, tasks };
}

export const encodeIntents = (intents: Intents): Uint8Array =>
  Buffer.from(`${JSON.stringify({ version: 1, ...intents }, null, 2)}\n`);
