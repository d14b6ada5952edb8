import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { createEventLog, type EventLog } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { BlockId, FramePath, NodeId, RunId, StepKey } from '#protocol/id.ts';

export const A = 'a' as RunId;
export const B = 'b' as RunId;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Creates an empty `.flow` folder of a project. */
export function newFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'robosmith-events-'));
  folders.push(root);
  const folder = path.join(root, '.flow');
  mkdirSync(folder);
  return folder;
}

/** Returns a progress event without its text. */
export const silent = (seq: number, run: RunId = A) =>
  ({
    seq,
    run_id: run,
    trace_id: '0123456789abcdef0123456789abcdef',
    time: 1_000 + seq,
    type: 'block.progress',
    node: 'Main' as NodeId,
    block: 'Main__Write' as BlockId,
    frame: '/' as FramePath,
    depth: 0,
    visit: 1,
    step_key: `${run}//Main__Write#1` as StepKey,
    attempt: 1,
    span_id: '0123456789abcdef',
    parent_span_id: 'fedcba9876543210',
    started_at: 1_000,
    side_effect_class: 'none',
  }) as const;

export const progress = (seq: number, text: string, run: RunId = A): RoboSmithEvent => ({ ...silent(seq, run), text });

/** Casts an invalid value to an event, for tests with values that the types forbid. */
export const asEvent = (value: unknown): RoboSmithEvent => value as RoboSmithEvent;

/** Returns an event whose JSON has exactly this many bytes. */
export const sized = (seq: number, bytes: number, run: RunId = A): RoboSmithEvent =>
  progress(seq, 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(progress(seq, '', run)))), run);

export interface OpenLog {
  readonly log: EventLog;
  readonly warnings: readonly string[];
  /** Runs the scheduled callbacks. */
  readonly pass: () => void;
}

let ids = 0;

export function openLog(
  folder: string,
  limits: { rotateBytes?: number; keptFiles?: number; inlineBytes?: number } = {},
  calls: FileCalls = fileCalls,
): OpenLog {
  const warnings: string[] = [];
  const due: (() => void)[] = [];
  const log = createEventLog({
    calls,
    folder,
    newId: (bytes) => (ids += 1).toString(16).padStart(2 * bytes, '0'),
    now: () => 5,
    warn: (message) => warnings.push(message),
    schedule: (flush) => due.push(flush),
    limits,
  });
  return { log, warnings, pass: () => due.splice(0).forEach((flush) => flush()) };
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

export const logNames = (folder: string): string[] => namesIn(path.join(folder, 'logs'));
export const blobNames = (folder: string): string[] => namesIn(path.join(folder, 'artifacts'));
export const logText = (folder: string, name = 'events.jsonl'): string =>
  readFileSync(path.join(folder, 'logs', name), 'utf8');
export const blobText = (folder: string, name: string): string =>
  readFileSync(path.join(folder, 'artifacts', name), 'utf8');

/** Returns the parsed lines of one log file; the last line must be complete. */
export function linesOf(folder: string, name = 'events.jsonl'): unknown[] {
  const lines = logText(folder, name).split('\n');
  if (lines.pop() !== '') throw new Error(`${name} ends in the middle of a line`);
  return lines.map((line) => JSON.parse(line) as unknown);
}
