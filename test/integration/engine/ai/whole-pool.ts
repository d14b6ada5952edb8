import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listCalls, readCall } from '#actors/call-log/index.ts';
import { createKeyPool } from '#actors/keys/index.ts';
import { createCallLog } from '#engine/ai/call-log.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createAiClient } from '#io/providers/ai-client.ts';
import { redactorOf } from '#io/providers/redact.ts';
import { EVERY_KEY } from '#logic/keys/read-pool.ts';
import type { AiRequest } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { Clock } from '#protocol/clock.ts';
import type { KeyReport, PoolResult, WorkOrder } from '#protocol/key-pool.ts';
import { chatOf, type PromptSegment } from '#protocol/prompt.ts';
import { NOON } from '../../../support/vendor-failures.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';

/** The keys by alias, in the format that the search for test keys recognises. */
export const SECRETS = {
  first: 'sk-test-first-9d8c7b6a5f4e3d2c1b0a',
  second: 'sk-test-second-11223344556677889900',
} as const;

/**
 * The time limits of calls in milliseconds, long enough for a busy machine. The tests that exceed one run concurrently.
 */
export const LIMITS = {
  long: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
  total: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 2_500 },
  first: { firstTokenMs: 2_500, idleMs: 60_000, totalMs: 60_000 },
  idle: { firstTokenMs: 60_000, idleMs: 2_500, totalMs: 60_000 },
} as const;

const SEGMENTS: readonly PromptSegment[] = [
  { layer: 2, name: 'contract', role: 'system', text: 'Be good.', tokens: 7 },
  { layer: 1, name: 'USER_INPUT s.1', role: 'user', text: 'Hi.', tokens: 5 },
];

export interface WholeCall {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly stream: boolean;
  readonly limits?: AiRequest['limits'];
  /** How long the call waits for a key, in milliseconds. */
  readonly keyWaitMs?: number;
  readonly reader?: WorkOrder['reader'];
  readonly signal?: AbortSignal;
  readonly model?: string;
}

export interface WholeAnswer {
  readonly result: PoolResult | null;
  /** The value that the call rejected with. */
  readonly thrown: unknown;
  readonly table: readonly KeyReport[];
  readonly record: CallRecord | null;
  readonly reports: readonly string[];
}

/** Returns a clock whose time advances only while the pool waits. */
function jumpingClock(): Clock {
  let now = NOON;
  return {
    now: () => now,
    sleep: async (ms, signal) => {
      await Promise.resolve();
      if (!signal.aborted) now += ms;
    },
  };
}

/** Opens real components: one client for all calls, and a pool and a call log per call. */
export function openWholePool() {
  const client = createAiClient({ connectMs: 10_000, proxied: false });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-whole-'));
  let calls = 0;
  const settle = async (asked: WholeCall): Promise<WholeAnswer> => {
    const { provider, baseUrl, stream, limits = LIMITS.long, keyWaitMs = 60_000, model = 'm' } = asked;
    const id = `c${String((calls += 1))}`;
    const place = { calls: fileCalls, folder: path.join(folder, id) };
    const clock = jumpingClock();
    const reports: string[] = [];
    const report = (message: string): void => void reports.push(message);
    const log = createCallLog({
      place,
      client,
      redact: redactorOf(Object.values(SECRETS)),
      costOf: (_request, { input, output }) => input + output,
      sourceOf: () => 'user',
      warn: report,
      now: clock.now,
      newId: () => id,
      aliasOf: (secret: string) => secret.slice(8, 13),
    });
    const pool = createKeyPool({
      keys: Object.keys(SECRETS).map((alias) => ({ alias, provider, baseUrl, account: null })),
      client: log.client,
      sink: log.sink,
      clock,
      file: null,
      newId: log.idOf,
      report,
      secrets: { get: (alias) => SECRETS[alias as keyof typeof SECRETS] },
      prices: { microUsd: (_request, { input, output }) => input + output },
    });
    const request: AiRequest = {
      provider,
      baseUrl,
      model,
      schema: null,
      maxOutputTokens: 9,
      temperature: null,
      stream,
      limits,
      ...chatOf(SEGMENTS),
    };
    const prompt = { segments: SEGMENTS, cut: [], tokens: [5, 7, 0, 0, 0] } as const;
    const order = { conversation: 'r1/Main__Say', pool: null, place: CALL_PLACE, request, prompt };
    const scope = { run: 'r1', session: null, task: null, node: 'Main', block: 'Main__Say', visit: 1 };
    const { reader = { onText: () => undefined, onRestart: () => undefined } } = asked;
    const { signal = new AbortController().signal } = asked;
    const work: WorkOrder = {
      request,
      pool: EVERY_KEY,
      scope,
      budgets: {},
      deadline: NOON + keyWaitMs,
      signal,
      reader,
    };
    let [result, thrown]: [PoolResult | null, unknown] = [null, null];
    try {
      result = await log.during(order, () => pool.execute(work));
    } catch (problem) {
      thrown = problem;
    }
    const read = readCall(place, id);
    const { damaged } = listCalls(place);
    for (const { file, why } of damaged) report(`${file}: ${why}`);
    return { result, thrown, table: pool.table(), record: read.kind === 'read' ? read.record : null, reports };
  };
  return {
    call: settle,
    close: async (): Promise<void> => {
      await client.close();
      rmSync(folder, { recursive: true });
    },
  };
}
