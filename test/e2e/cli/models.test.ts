import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { exportsTo, startCollector } from '../../support/collector.ts';
import { type Fault, type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { spansIn } from '../../support/otlp-json.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';

let server: FaultServer;
let here: Project;
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  await here.remove();
  await server.close();
});

const manifest = (fault: Fault) => ({
  version: 1,
  entry: 'Main',
  workers: {
    'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url(fault) },
  },
  nodes: {
    Main: {
      entry_block: 'Ask',
      blocks: {
        Ask: {
          worker: 'Worker:Model',
          contract: 'Say hello.',
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
});

const set = async (fault: Fault): Promise<void> => {
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest(fault) });
};

const robosmith = (fault: Fault, ...args: readonly string[]): Promise<Ended> =>
  ended(start(args, here.folder, { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: server.url(fault) }));

const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;

function* contentsBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) yield* contentsBelow(file);
    else yield readFileSync(file, 'latin1');
  }
}

const hasSecret = (...said: readonly string[]): boolean =>
  [...said, ...contentsBelow(here.folder)].some((text) => text.includes(SECRET.slice(3, 14)));

test('a model on this computer needs its address only: no key is sent, and the call is in the log', async () => {
  await set('none');
  const local = (...args: readonly string[]): Promise<Ended> =>
    ended(start(args, here.folder, { ROBOSMITH_URL_LOCAL: server.url('none') }));
  const { code, out, err } = await local(...RUN, '--json');
  expect([code, err]).toEqual([0, expect.stringContaining('SUCCESS')]);
  expect((JSON.parse(out) as Response).metadata).toMatchObject({ cost: null });
  expect(server.seen).toMatchObject([{ key: '', streaming: true }]);
  const { calls } = JSON.parse((await local('calls', '--json')).out) as { readonly calls: readonly object[] };
  expect(calls).toMatchObject([{ key: 'local', outcome: 'ok' }]);
});

test('a model answers a block, and its call is in the log; its key is nowhere', async () => {
  verifies('workers.pool.call-log-commands');
  await set('none');
  const { code, out, err } = await robosmith('none', ...RUN, '--json');
  expect(err).toContain('SUCCESS');
  expect(code).toBe(0);
  const { data, metadata } = JSON.parse(out) as Response;
  // The price of the user's own server is unknown. An unknown cost is null, never zero.
  expect(metadata).toMatchObject({ tokens: expect.any(Number) as number, cost: null });
  expect(metadata.tokens).toBeGreaterThan(0);
  expect(data.payload.at(-1)?.content).toContain('Hello from the model.');
  expect(server.seen).toMatchObject([{ key: SECRET, streaming: true }]);
  expect(server.seen[0]?.body).toContain('Say hello.');
  const listed = await robosmith('none', 'calls', '--json');
  const { calls } = JSON.parse(listed.out) as { readonly calls: readonly object[] };
  expect(calls).toMatchObject([{ block: 'Main__Ask', model: 'tiny', key: 'local', outcome: 'ok', attempts: 1 }]);
  expect(hasSecret(out, err, listed.out)).toBe(false);
});

test('its call is a span below the one of its execution, and has no key', async () => {
  verifies('engine.metadata.otel');
  await set('none');
  const collector = await startCollector();
  const environment = { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: server.url('none') };
  const { code } = await ended(start(RUN, here.folder, { ...environment, ...exportsTo(collector) }));
  await collector.close();
  expect(code).toBe(0);
  const spans = collector.exports.flatMap((sent) => spansIn(sent, 0));
  const [call, block, run] = ['chat tiny', 'Main__Ask', 'run Main'].map((name) =>
    spans.find((one) => one.name === name),
  );
  expect(call).toMatchObject({ traceId: run?.traceId, parentSpanId: block?.spanId });
  expect(block).toMatchObject({ traceId: run?.traceId, parentSpanId: run?.spanId });
  expect(call?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'tiny' });
  expect(JSON.stringify(spans)).not.toContain(SECRET);
});

test('a server on this computer needs no key', async () => {
  await set('none');
  const { code, out, err } = await here.robosmith(...RUN, '--json');
  expect([code, err.includes('key')]).toEqual([0, false]);
  expect((JSON.parse(out) as Response).data.payload.at(-1)?.content).toContain('Hello from the model.');
  expect(server.seen).toMatchObject([{ key: '' }]);
  const doctor = await here.robosmith('doctor');
  expect(doctor.out + doctor.err).toContain('no keys for models');
});

test('without a key the run waits for one, says which, and goes on when it is there', async () => {
  await set('needs-key');
  const { code, err } = await here.robosmith(...RUN);
  expect(code).toBe(3);
  expect(err).toContain(`there is no key for ${server.url('needs-key')}: set ROBOSMITH_KEY_<NAME>`);
  expect(server.seen).toMatchObject([{ key: '' }]);
  const [run = ''] = /\br[0-9a-f]{12}\b/.exec(err) ?? [];
  expect((await robosmith('needs-key', 'resume', run, '--retry')).code).toBe(0);
  expect(server.seen).toMatchObject([{ key: '' }, { key: SECRET }]);
});

test('a key without money is told, kept, and its call logged', async () => {
  await set('status-402');
  const first = await robosmith('status-402', ...RUN);
  expect(first.code).toBe(3);
  expect(first.err).toContain('local: exhausted');
  const { calls } = JSON.parse((await robosmith('status-402', 'calls', '--json')).out) as {
    readonly calls: readonly object[];
  };
  expect(calls).toMatchObject([{ key: 'local', attempts: 1, outcome: 'exhausted' }]);
  expect(hasSecret(first.out, first.err)).toBe(false);
  // A key's state is stored on disk, so the next process sends no request with this key.
  expect((await robosmith('status-402', ...RUN)).code).toBe(3);
  expect(server.seen).toHaveLength(1);
});

test('a 429 for the first key of the roster, a successful response for the second', async () => {
  verifies('success.4-failover');
  verifies('acceptance.catch-429', 'acceptance.second-key', 'acceptance.second-key-result');
  // The quotations are from the founding document of this feature:
  // "The extension's secure storage must be configured with a roster of at least two API keys."
  const keys = { A: 'sk-test-roster-first-66778899aabb', B: 'sk-test-roster-second-ccddeeff0011' };
  // "The LLM API endpoint will be mocked to return a `429 Too Many Requests` error for the first key in the roster.
  // The same endpoint will be mocked to return a successful response for the second key."
  const tooMany = { status: 429, body: '{"error":{"message":"Too Many Requests"}}' };
  const url = server.byKey({ [keys.A]: tooMany, [keys.B]: 'none' });
  const { workers, ...rest } = manifest('none');
  const model = { ...workers['Worker:Model'], base_url: url };
  here = await project({
    '.flow/.keep': '',
    '.vision/workflows.json': { ...rest, workers: { 'Worker:Model': model } },
  });
  const env = {
    ROBOSMITH_KEY_A: keys.A,
    ROBOSMITH_URL_A: url,
    ROBOSMITH_KEY_B: keys.B,
    ROBOSMITH_URL_B: url,
  };
  const robosmithHere = (...args: readonly string[]) => ended(start(args, here.folder, env));
  // "An AI request is initiated."
  const { code, out, err } = await robosmithHere(...RUN, '--json');
  expect(code).toBe(0);
  expect(server.seen.map(({ key }) => key)).toEqual([keys.A, keys.B]);
  expect(server.seen[1]?.body).toBe(server.seen[0]?.body);
  expect((JSON.parse(out) as Response).data.payload.at(-1)?.content).toContain('Hello from the model.\nSIGNAL:SUCCESS');
  expect(err).not.toContain('429');
  const { calls } = JSON.parse((await robosmithHere('calls', '--json')).out) as {
    readonly calls: readonly { readonly call: string }[];
  };
  expect(calls).toMatchObject([{ key: 'b', attempts: 2, outcome: 'ok' }]);
  const shown = await robosmithHere('calls', 'show', calls[0]?.call ?? '', '--json');
  expect(JSON.parse(shown.out)).toMatchObject({
    call: {
      attempts: [
        { key: 'a', outcome: 'rate_limited', facts: { status: 429 } },
        { key: 'b', outcome: 'ok' },
      ],
    },
  });
});

test('what no other key would cure fails the block, with the words of the provider', async () => {
  await set('status-400');
  const { code, err } = await robosmith('status-400', ...RUN);
  expect(code).toBe(3);
  expect(err).toContain('worker_error: Worker:Model: tiny: refused');
  expect(server.seen).toHaveLength(1);
});

test('keys come from the environment, and their providers are asked', async () => {
  verifies('cli.keys', 'workers.pool.keychain');
  await set('none');
  const listed = await robosmith('none', 'keys');
  expect(listed.out).toMatch(/local .*ROBOSMITH_KEY_LOCAL/);
  const tested = await robosmith('none', 'keys', 'test');
  expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('local is accepted (2 models)')]);
  expect(server.seen).toMatchObject([{ key: SECRET, body: '' }]);
  // The command has no terminal, and its standard input is empty.
  const added = await robosmith('none', 'keys', 'add', 'work', '--provider', 'openai');
  expect([added.code, added.err]).toEqual([2, expect.stringContaining('No key was entered')]);
  expect(hasSecret(listed.out, listed.err, tested.out, tested.err)).toBe(false);
});

test('a manifest that only calls models is not run before its user trusts it', async () => {
  verifies('cli.run.trust');
  await set('none');
  const refused = await robosmith('none', 'run', 'Main', '--in', '.', '--json');
  expect([refused.code, (JSON.parse(refused.out) as Response).reason]).toEqual([2, 'not_trusted']);
  expect(refused.err).toContain('model openai-compatible tiny at');
  expect(server.seen).toEqual([]);
  expect((await robosmith('none', ...RUN)).code).toBe(0);
  expect((await robosmith('none', 'run', 'Main', '--in', '.')).code).toBe(0);
});
