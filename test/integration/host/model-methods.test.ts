import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AskModel } from '#protocol/host.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { chain } from '../../e2e/cli/durable.ts';
import { type HostBench, hostBench } from './host-bench.ts';

const KEY = 'sk-test-quick-fix-00112233445566';

let server: FaultServer;
let at: HostBench;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());
afterEach(() => at.remove());

const QUESTION: AskModel = {
  stream: 1,
  question: 'What is wrong?',
  path: 'src/a.js',
  worker: null,
  selection: 'const a = b;',
  before: '// before',
  after: '// after',
};

/** Starts a host for a project with a model. With `trusted`, the user has allowed calls of the model. */
async function serve(trusted = true, url = server.url('says')) {
  const model = { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url };
  const manifest = { ...chain(), workers: { ...chain().workers, 'Worker:Model': model } };
  at = hostBench({ '.vision/workflows.json': JSON.stringify(manifest), '.env': 'SECRET=1', 'src/a.js': '' });
  await at.serve();
  const client = await at.client();
  if (trusted) await client.call('trust.remember', { hash: (await client.call('trust.look', {})).hash });
  await client.call('keys.add', {
    alias: 'mine',
    secret: KEY,
    provider: 'openai-compatible',
    baseUrl: url,
    replace: false,
  });
  return client;
}

test('a question is answered in pieces, with the context that was given and the key of the client', async () => {
  server.say('Because of b.\n```js\nconst a = 1;\n```');
  const client = await serve();
  const pieces: string[] = [];
  client.on('model.text', ({ stream, text }) => {
    if (stream === 1) pieces.push(text);
  });
  const reply = await client.call('model.ask', QUESTION);
  expect(reply).toMatchObject({ ok: true, text: 'Because of b.\n```js\nconst a = 1;\n```', key: 'mine' });
  expect(pieces.join('')).toBe('Because of b.\n```js\nconst a = 1;\n```');
  const sent = server.seen.at(-1);
  expect(sent?.key).toBe(KEY);
  for (const part of ['What is wrong?', 'const a = b;', '// before', '// after', 'src/a.js'])
    expect(sent?.body).toContain(part);
});

test('the call is logged, can be shown, edited and sent again, and says what it repeats', async () => {
  server.say('First', 'Second');
  const client = await serve();
  const reply = await client.call('model.ask', QUESTION);
  const [listed] = (await client.call('calls.list', {})).calls;
  expect(listed).toMatchObject({ call: reply.call, outcome: 'ok', key: 'mine' });
  const found = async (text: string) => (await client.call('calls.search', { text })).calls;
  expect([await found('what is WRONG?'), await found('first'), await found('nowhere')]).toEqual([
    [reply.call],
    [reply.call],
    [],
  ]);
  const { request, record } = await client.call('calls.show', { call: reply.call });
  expect(record.answer?.text).toBe('First');
  const edited = request.replace('What is wrong?', 'What is missing?');
  expect(edited).not.toBe(request);
  const again = await client.call('calls.rerun', { stream: 2, call: reply.call, request: edited });
  expect(again.record).toMatchObject({ origin: reply.call, outcome: 'ok', answer: { text: 'Second' } });
  expect(server.seen.at(-1)?.body).toContain('What is missing?');
  await expect(client.call('calls.rerun', { stream: 3, call: reply.call, request: 'no segments' })).rejects.toThrow(
    'Nothing was sent: "no segments" is not a setting',
  );
});

test('nothing is sent of a project that is not trusted, nor of a file that is kept back', async () => {
  const client = await serve(false);
  const before = server.seen.length;
  await expect(client.call('model.ask', QUESTION)).rejects.toThrow('is not trusted yet; nothing was run.');
  await expect(client.call('model.ask', { ...QUESTION, path: '.env' })).rejects.toThrow(
    ".env is excluded by the rules for prompts, so it can't be sent to a model.",
  );
  expect(server.seen.length).toBe(before);
});

test('a question can be stopped; its number is free again', async () => {
  const client = await serve(true, server.url('hang-before-headers'));
  const asked = client.call('model.ask', QUESTION);
  const refused = expect(asked).rejects.toThrow('The request was cancelled.');
  const early = server.closedEarly();
  await expect.poll(() => server.seen.at(-1)?.fault).toBe('hang-before-headers');
  expect(await client.call('model.stop', { stream: 1 })).toEqual({ stopped: true });
  await refused;
  await early;
  expect(await client.call('model.stop', { stream: 1 })).toEqual({ stopped: false });
});

test('an unknown worker, call or key is refused', async () => {
  const client = await serve();
  await expect(client.call('model.ask', { ...QUESTION, worker: 'Worker:Other' })).rejects.toThrow(
    'The manifest has no AI worker "Worker:Other". Those that it has: Worker:Model.',
  );
  await expect(client.call('calls.show', { call: 'c404' })).rejects.toThrow('There is no call "c404"');
  await expect(client.call('keys.test', { alias: 'other' })).rejects.toThrow('There is no key "other".');
  await expect(client.call('keys.order', { order: ['mine'] as never })).rejects.toThrow('"order" must be a list');
});

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );

test('a key is listed, ordered, tested and removed; its secret is in no answer and in no file', async () => {
  const client = await serve(true, server.url('none'));
  await client.call('keys.add', {
    alias: 'spare',
    secret: `${KEY}-spare`,
    provider: 'openai',
    baseUrl: null,
    replace: false,
  });
  await client.call('keys.order', { order: [['spare'], ['mine']] });
  const listed = await client.call('keys.list', {});
  expect(listed.keys.map(({ alias, tier, hasSecret }) => ({ alias, tier, hasSecret }))).toEqual(
    expect.arrayContaining([
      { alias: 'spare', tier: 1, hasSecret: true },
      { alias: 'mine', tier: 2, hasSecret: true },
    ]),
  );
  const tested = await client.call('keys.test', { alias: 'mine' });
  expect(tested.result).toBe('good');
  expect(JSON.stringify([listed, tested])).not.toContain(KEY);
  const leaks = filesBelow(at.base).filter((file) => readFileSync(file).includes(KEY));
  expect(leaks).toEqual([]);
  await client.call('keys.remove', { alias: 'spare' });
  expect((await client.call('keys.list', {})).keys.map(({ alias }) => alias)).toEqual(['mine']);
});
