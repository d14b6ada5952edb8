import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listCalls, type LogPlace, writeCall } from '../src/actors/call-log/index.ts';
import { createKeyPool, openPoolFile } from '../src/actors/keys/index.ts';
import { createCallLog } from '../src/engine/ai/call-log.ts';
import { wallClock } from '../src/io/clock/clock.ts';
import { newId } from '../src/io/clock/identity.ts';
import { EVERY_KEY } from '../src/logic/keys/read-pool.ts';
import type { PoolSettings } from '../src/protocol/key-pool.ts';
import { chatOf, type PromptSegment } from '../src/protocol/prompt.ts';
import { fileCalls } from '../src/io/files/file-calls.ts';
import { createAiClient } from '../src/io/providers/ai-client.ts';
import { redactorOf } from '../src/io/providers/redact.ts';
import type { AiRequest } from '../src/protocol/ai-call.ts';
import { callRecord } from '../test/support/call-record.ts';
import { timed } from './measure.ts';
import { startModelsApart } from './models-apart.ts';
import { CALL_PLACE } from '../test/support/call-place.ts';

const KEY = 'sk-bench-0123456789abcdef';
const CALLS = 200;

/**
 * The parent of the log folders, inside the project as in real use. In the temporary folder, ext4 takes 0.5 ms to
 * create a file after thousands of files were recently deleted, as tests do. For the same reason nothing is removed
 * before all measurements are complete.
 */
const DIST = fileURLToPath(new URL('../dist', import.meta.url));

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function tempLog(): LogPlace {
  mkdirSync(DIST, { recursive: true });
  const folder = mkdtempSync(path.join(DIST, 'bench-'));
  folders.push(folder);
  return { calls: fileCalls, folder: path.join(folder, 'logs') };
}

const LIMITS = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
const SEGMENTS: readonly PromptSegment[] = [
  { layer: 2, name: 'contract', role: 'system', text: 'Be good.', tokens: 7 },
  { layer: 1, name: 'USER_INPUT s.1', role: 'user', text: 'hi', tokens: 5 },
];
const PROMPT = { segments: SEGMENTS, cut: [], tokens: [5, 7, 0, 0, 0] } as const;

/** Opens the key pool with everything that a project gives it: client, call log, keys and state file. */
async function openChain(keys: number, firstFails: boolean) {
  const secrets = Array.from({ length: keys }, (_, index) => `${KEY}-${String(index)}`);
  const busy = { status: 429, body: '{"error":{"message":"slow"}}' };
  const answers = Object.fromEntries(
    secrets.map((secret, index) => [secret, firstFails && index === 0 ? busy : ('none' as const)]),
  );
  const server = await startModelsApart(answers);
  const { baseUrl } = server;
  const client = createAiClient({ connectMs: 10_000, proxied: false });
  const place = tempLog();
  const report = (message: string): never => {
    throw new Error(message);
  };
  const log = createCallLog({
    place,
    client,
    redact: redactorOf(secrets),
    now: Date.now,
    newId: () => newId(8),
    aliasOf: (secret: string) => `key-${String(secrets.indexOf(secret))}`,
    costOf: () => 0,
    sourceOf: () => 'user',
    warn: report,
  });
  const file = path.join(path.dirname(place.folder), 'key-pool.jsonl');
  const pool = createKeyPool({
    keys: secrets.map((_, index) => ({
      alias: `key-${String(index)}`,
      provider: 'openai-compatible',
      baseUrl,
      account: null,
    })),
    client: log.client,
    sink: log.sink,
    clock: wallClock,
    newId: log.idOf,
    report,
    file: openPoolFile({ calls: fileCalls, file, newId: () => newId(6), now: Date.now, report }),
    secrets: { get: (alias) => secrets[Number(alias.slice('key-'.length))] ?? null },
    prices: { microUsd: (_request, { input, output }) => input + output },
  });
  // The policy `next_key` keeps a busy key usable, so that the next call tries it again.
  const settings: PoolSettings = { ...EVERY_KEY, name: 'bench', policy: { rate_limited: 'next_key' } };
  const call = async (stream: boolean, conversation: string): Promise<void> => {
    const request: AiRequest = {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl,
      stream,
      schema: null,
      maxOutputTokens: 9,
      temperature: 0,
      limits: LIMITS,
      ...chatOf(SEGMENTS),
    };
    const place = { ...CALL_PLACE, run: conversation };
    const order = { conversation, pool: null, place, request, prompt: PROMPT };
    const scope = { run: conversation, session: null, task: null, node: 'Main', block: 'Main__Say', visit: 1 };
    const result = await log.during(order, () =>
      pool.execute({
        request,
        pool: settings,
        scope,
        budgets: {},
        deadline: Date.now() + 60_000,
        signal: new AbortController().signal,
        reader: { onText: () => undefined, onRestart: () => undefined },
      }),
    );
    if (result.kind !== 'answered') throw new Error(JSON.stringify(result));
  };
  const bare = async (stream: boolean, secret = secrets.at(-1) ?? ''): Promise<void> => {
    const body = JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body });
    await response.text();
  };
  return {
    call,
    bare,
    firstSecret: secrets[0] ?? '',
    done: async (): Promise<void> => {
      await client.close();
      log.close();
      await server.close();
    },
  };
}

const middle = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Returns the median duration of this many calls, in microseconds. */
async function median(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let call = 0; call < times; call += 1) taken.push(await timed(work));
  return middle(taken);
}

/**
 * Measures the median duration, in microseconds, of a model call that passes through pool, client and log to a server
 * in another process, and of a bare fetch of the same bytes.
 */
export async function modelCalls(stream: boolean) {
  const { call, bare, done } = await openChain(1, false);
  return { ours: () => median(CALLS, () => call(stream, 'r1')), bare: () => median(CALLS, () => bare(stream)), done };
}

const AT_ONCE = 100;

/** Measures 100 concurrent model calls through four keys, and as many bare fetches, in microseconds per call. */
export async function callsAtOnce() {
  const { call, bare, done } = await openChain(4, false);
  const all = (work: (index: number) => Promise<void>) => async (): Promise<number> =>
    (await timed(() => Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index))))) / AT_ONCE;
  return { ours: all((index) => call(true, `r${String(index)}`)), bare: all(() => bare(true)), done };
}

/** Measures, in microseconds, how long it takes to create one file of the call log. */
export function fileMade() {
  const { folder } = tempLog();
  mkdirSync(folder);
  const bytes = Buffer.alloc(2_000, 'x');
  let made = 0;
  const make = (): void => {
    const name = path.join(folder, String((made += 1)));
    writeFileSync(`${name}.tmp`, bytes);
    renameSync(`${name}.tmp`, name);
  };
  return () => median(CALLS, () => Promise.resolve(make()));
}

/**
 * Measures three durations: `over` of a call that fails over from a busy key to the next one, `plain` of a call with a
 * free key, and `refusal` of a bare HTTP request to the busy key.
 */
export async function failingOver() {
  const failing = await openChain(2, true);
  const plain = await openChain(1, false);
  let run = 0;
  return {
    // Each call is a new conversation and begins with the first key. In one conversation, the second call would begin
    // with the other key.
    over: () => median(CALLS / 2, () => failing.call(true, `r${String((run += 1))}`)),
    plain: () => median(CALLS / 2, () => plain.call(true, 'r1')),
    refusal: () => median(CALLS / 2, () => failing.bare(true, failing.firstSecret)),
    done: async (): Promise<void> => {
      await failing.done();
      await plain.done();
    },
  };
}

/** Measures, in microseconds, how long it takes to list this many logged calls. */
export function listing(count: number) {
  const place = tempLog();
  const redact = redactorOf([KEY]);
  for (let number = 1; number <= count; number += 1) writeCall(place, callRecord(number), redact);
  return () =>
    timed(() => {
      if (listCalls(place).calls.length !== count) throw new Error('a call is missing');
    });
}
