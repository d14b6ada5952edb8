import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listCalls, type LogPlace, writeCall } from '../src/actors/call-log/index.ts';
import { fileCalls } from '../src/io/file-calls.ts';
import { createAiClient } from '../src/io/providers/ai-client.ts';
import { redactorOf } from '../src/io/providers/redact.ts';
import type { AiRequest } from '../src/protocol/ai-call.ts';
import { callRecord } from '../test/support/call-record.ts';
import { startFaultServer } from '../test/support/fault-server.ts';
import { timed } from './measure.ts';

const KEY = 'sk-bench-0123456789abcdef';
const CALLS = 200;

const tempLog = (): LogPlace => ({
  calls: fileCalls,
  folder: path.join(mkdtempSync(path.join(os.tmpdir(), 'robosmith-bench-')), 'logs'),
});

const remove = ({ folder }: LogPlace): void => rmSync(path.dirname(folder), { recursive: true });

/** A call to a server of this process: through client and log, and as a bare fetch of the same bytes. */
export async function modelCalls(stream: boolean) {
  const server = await startFaultServer();
  const client = createAiClient({ connectMs: 10_000, proxied: false });
  const place = tempLog();
  const redact = redactorOf([KEY]);
  const limits = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
  const request: AiRequest = {
    provider: 'openai-compatible',
    ...{ model: 'm', baseUrl: server.url('none'), instructions: 'Be good.', stream },
    messages: [{ role: 'user', content: 'hi' }],
    ...{ schema: null, maxOutputTokens: 9, temperature: 0, limits },
  };
  let number = 0;
  const each = async (work: () => Promise<unknown>): Promise<number> =>
    (await timed(async () => {
      for (let call = 0; call < CALLS; call += 1) await work();
    })) / CALLS;
  return {
    ours: () =>
      each(async () => {
        const outcome = await client.attempt(request, KEY, new AbortController().signal, () => undefined);
        if (!outcome.ok) throw new Error(outcome.facts.error);
        writeCall(place, callRecord((number += 1)), redact);
      }),
    bare: () =>
      each(async () => {
        const body = JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] });
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
        const response = await fetch(`${server.url('none')}/chat/completions`, { method: 'POST', headers, body });
        await response.text();
      }),
    done: async (): Promise<void> => {
      await client.close();
      await server.close();
      remove(place);
    },
  };
}

/** Microseconds to list so many logged calls. */
export function listing(count: number) {
  const place = tempLog();
  const redact = redactorOf([KEY]);
  for (let number = 1; number <= count; number += 1) writeCall(place, callRecord(number), redact);
  return {
    list: () =>
      timed(() => {
        if (listCalls(place).calls.length !== count) throw new Error('a call is missing');
      }),
    done: () => remove(place),
  };
}
