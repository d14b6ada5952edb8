import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findAnswer, type LogPlace, writeCall } from '#actors/call-log/index.ts';
import { replyFrom } from '#engine/ai/reply-of.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AiService, CallPlace } from '#protocol/ai-service.ts';
import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { aiWorker } from '#workers/ai/ai-worker.ts';
import { callRecord } from '../../../support/call-record.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-known-'));
const place: LogPlace = { calls: fileCalls, folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLACE: CallPlace = {
  run: 'r3f2a91',
  session: null,
  task: null,
  node: 'Main',
  block: 'Main__Write',
  visit: 1,
  attempt: 1,
  step: 'r/Main__Write#1',
};

/** A service that fails the test if a model is called. */
const ai: AiService = {
  call: () => Promise.reject(new Error('it was asked again')),
  contextTokens: () => Promise.resolve(null),
  known: (execution) => {
    const record = findAnswer(place, execution);
    return Promise.resolve(record === null ? null : replyFrom(record));
  },
};

const services = {
  ai,
  files: null,
  block: { id: 'Main__Write', params: {}, validation: null } as unknown as GraphBlock,
  definition: {
    name: 'Worker:A',
    settings: { provider: 'anthropic', model: 'claude-x' },
  } as unknown as WorkerDefinition,
} as unknown as Services;

const worker = aiWorker({ outputType: 'CODE_OUTPUT', validation: null, validate: null, edits: null });

const completed = (execution: CallPlace) =>
  worker.checkCompletion?.({ system: execution } as unknown as BlockMemory, services);

test('an answer that came before a crash is taken from the log, and paid once', async () => {
  for (const record of [
    callRecord(1, { answer: { text: 'old\nSIGNAL:SUCCESS', finish: 'stop' }, attempt: 2 }),
    callRecord(2),
    callRecord(3, { origin: 'c0000002', answer: { text: 'rerun', finish: 'stop' } }),
    callRecord(4, { outcome: 'server_error', answer: null }),
    callRecord(5, { run: 'rother', answer: { text: 'other', finish: 'stop' } }),
  ])
    expect(writeCall(place, record, (text) => text)).toBe(null);
  expect(await completed(PLACE)).toMatchObject({
    signal: 'SIGNAL:SUCCESS',
    append: [{ content: 'One.\nTwo.\nSIGNAL:SUCCESS', meta: { call: 'c0000002', finish: 'stop' } }],
    stats: { calls: 1, call: 'c0000002', key: 'second', cost_micro_usd: 600, prompt_tokens: [8, 7, 0, 0, 0] },
  });
  expect(await completed({ ...PLACE, attempt: 3 })).toBe(null);
  expect(await completed({ ...PLACE, step: 'r/Main__Write#2' })).toBe(null);
});

test('an answer that the log had to alter is no answer', async () => {
  const answer = { text: '<input placeholder="x">\nSIGNAL:SUCCESS', finish: 'stop' } as const;
  const record = callRecord(6, { answer, run: 'raltered' });
  expect(writeCall(place, record, (text) => text.replaceAll('placeholder', '[key]'))).toBe(null);
  expect(await completed({ ...PLACE, run: 'raltered' })).toBe(null);
});
