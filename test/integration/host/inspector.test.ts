import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { HostClient } from '#host/client/index.ts';
import type { InspectedActor, InspectionEvent } from '#protocol/inspection.ts';
import type { HostStatus } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { chain } from '../../e2e/cli/durable.ts';
import { type RawClient, rawClient } from '../../e2e/cli/raw-client.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { createKeySearch } from '../../secrets/find-keys.ts';
import { createRecording } from '../../../src/cli/inspector/recording.ts';
import { createHostLink } from '#host/client/index.ts';
import { createInspectionRelay, followInspection } from '#host/inspector/index.ts';
import { type HostBench, hostBench } from './host-bench.ts';

const KEY = 'sk-test-inspected-00112233445566';

let server: FaultServer;
let at: HostBench;
let raw: RawClient[] = [];
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());
afterEach(async () => {
  for (const client of raw) client.close();
  raw = [];
  await at.remove();
});

/** Subscribes to the host's actors. Returns a list to which each received event is appended. */
async function inspect(client: HostClient): Promise<readonly InspectionEvent[]> {
  const seen: InspectionEvent[] = [];
  client.on('inspection', ({ events }) => void seen.push(...events));
  await client.call('inspect.open', {});
  return seen;
}

/** Returns the newest state of each actor, by name. */
function actorsIn(seen: readonly InspectionEvent[]): ReadonlyMap<string, InspectedActor> {
  const actors = new Map<string, InspectedActor>();
  for (const event of seen)
    if (event.type === '@xstate.actor') actors.set(event.sessionId, event);
    else if (event.type === '@xstate.snapshot') {
      const known = actors.get(event.sessionId);
      if (known !== undefined) actors.set(event.sessionId, { ...known, snapshot: event.snapshot });
    }
  return new Map([...actors.values()].map((actor) => [actor.name, actor]));
}

const git = (...args: readonly string[]): void =>
  void execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: at.root });

const DRAFT = {
  title: 'Alpha',
  job: null,
  plan: [],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: true,
};

const MODEL = () => ({ kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url('says') });

/**
 * Returns a manifest in which block A of node Main calls the node Part with block B. B queries the code analysis, so
 * the run uses a context server.
 */
function callingManifest() {
  const { workers } = chain();
  const ends = { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' };
  const goes = (action: string) => [{ on_signal: 'SIGNAL:SUCCESS', action }, ends];
  return {
    version: 1,
    entry: 'Main',
    workers: { ...workers, 'Worker:Model': MODEL() },
    context_slices: { Outline: { queries: [{ tool: 'find_symbol', args: { query: 'x' } }] } },
    nodes: {
      Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:A', transitions: goes('CALL:Part') } } },
      Part: {
        entry_block: 'B',
        blocks: { B: { worker: 'Worker:B', context_slice: 'Outline', transitions: goes('RETURN') } },
      },
    },
  };
}

test('runs, frames, blocks, sessions, keys, the queue and servers are shown, also to who comes late', async () => {
  at = hostBench({
    '.gitignore': '.flow/\n',
    '.vision/workflows.json': JSON.stringify(callingManifest()),
    'hold-B': '',
  });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  await at.serve({ environment: { ...at.environment, ROBOSMITH_ROBERTO_MCP: 'off' } });
  const client = await at.client();
  const early = await inspect(client);
  await client.call('trust.remember', { hash: (await client.call('trust.look', {})).hash });
  const url = server.url('says');
  await client.call('keys.add', {
    alias: 'mine',
    secret: KEY,
    provider: 'openai-compatible',
    baseUrl: url,
    replace: false,
  });
  server.say('Because.');
  const place = { path: 'work.mjs', selection: '', before: '', after: '' };
  await client.call('model.ask', { stream: 1, question: 'Why?', worker: null, ...place });
  const { id: session } = await client.call('session.create', DRAFT);
  const run = await at.start(client);
  await at.untilRan(2);
  const late = await inspect(await at.client());

  for (const seen of [early, late]) {
    const kinds = (): unknown => {
      const actors = actorsIn(seen);
      const valueOf = (name: string): unknown => actors.get(name)?.snapshot.value;
      const server_ = actors.get(at.root);
      return {
        run: valueOf(run),
        block: valueOf('Main'),
        frame: valueOf('call Part'),
        blockOfFrame: valueOf('Part'),
        session: valueOf(`${session} Alpha`),
        key: valueOf('key mine'),
        queue: valueOf('queue of sessions'),
        servers: valueOf('code analysis servers'),
        server: [server_?.snapshot.status, server_?.parentId === actors.get('code analysis servers')?.sessionId],
      };
    };
    await expect.poll(kinds).toEqual({
      run: 'Main',
      block: 'Main__A@CALL:0',
      frame: 'Part',
      blockOfFrame: 'Part__B',
      session: 'draft',
      key: 'healthy',
      queue: 'empty',
      servers: 'open',
      server: ['active', true],
    });
    expect(createKeySearch([KEY]).inText(JSON.stringify(seen), 'the inspection')).toEqual([]);
  }
  at.unlink('hold-B');
  expect((await client.call('run.settled', { run })).response).toMatchObject({ success: true });
});

const STEPS = 400;

/**
 * Returns a manifest with two scripted blocks that jump to each other until the step limit of their node is reached.
 */
const ringManifest = () => {
  const goes = (action: string) => [{ on_signal: 'SIGNAL:SUCCESS', action }];
  const blocks = {
    One: { worker: 'Worker:Says', transitions: goes('JUMP:Two') },
    Two: { worker: 'Worker:Says', transitions: goes('JUMP:One') },
  };
  return {
    version: 1,
    entry: 'Main',
    workers: { 'Worker:Says': { kind: 'scripted', answers: './answers.json' } },
    nodes: { Main: { entry_block: 'One', max_steps: STEPS, blocks } },
  };
};

const known = async ({ socket }: HostStatus): Promise<RawClient> => {
  const client = await rawClient(socket);
  raw.push(client);
  await client.hello(readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
};

/** Returns the parts of a Response that must be the same with and without inspection. */
const outcomeOf = ({ success, reason, details, data, path }: Response, run: RunId): unknown =>
  JSON.parse(JSON.stringify({ success, reason, details, data, path }).replaceAll(run, 'run'));

test('clients that never read, that leave and that send garbage change nothing for the run and for others', async () => {
  at = hostBench({
    '.vision/workflows.json': JSON.stringify(ringManifest()),
    '.vision/answers.json': '{"Worker:Says":[{"signal":"SIGNAL:SUCCESS"}]}',
  });
  const { status } = await at.serve();
  const client = await at.client();
  const ran = async (): Promise<unknown> => {
    const run = await at.start(client);
    return outcomeOf((await client.call('run.settled', { run })).response, run);
  };
  const uninspected = await ran();
  expect(uninspected).toMatchObject({ success: false, path: Array.from({ length: STEPS }, () => ({ attempts: 1 })) });

  const seen = await inspect(client);
  const [deaf, leaving, garbage, broken] = await Promise.all([0, 1, 2, 3].map(() => known(status())));
  if (!deaf || !leaving || !garbage || !broken) throw new Error('a client is missing');
  await deaf.ask('inspect.open');
  deaf.socket.pause();
  await leaving.ask('inspect.open');
  const left = leaving
    .when(() => leaving.notices.find(({ params }) => JSON.stringify(params).includes('Main__Two')))
    .then(() => leaving.close());
  const odd: readonly unknown[] = [
    [],
    [1],
    { subscription: 'x' },
    { subscription: -1 },
    { subscription: 1e9 },
    { subscription: {} },
  ];
  for (const params of odd) for (const method of ['inspect.open', 'inspect.close']) void garbage.ask(method, params);
  for (let count = 0; count < 10; count += 1) void garbage.ask('inspect.open');
  await broken.ask('inspect.open');
  broken.send('Content-Length: 9\r\n\r\n{"inspect');
  const inspected = ran();
  garbage.send(new Uint8Array(1_000).fill(0xff));
  expect(await inspected).toEqual(uninspected);
  await Promise.all([left, broken.closed, garbage.closed]);
  await expect
    .poll(() => seen.findLast(({ type }) => type === '@xstate.snapshot'))
    .toMatchObject({ snapshot: { status: 'done' } });
  const steps = seen.filter((event) => event.type === '@xstate.microstep' && event.event.type === 'SIGNAL:SUCCESS');
  expect(steps).toHaveLength(STEPS);
});

/** Records all messages to an inspector page, as `robosmith inspect --record` does. */
async function record(file: string): Promise<{ readonly posted: readonly unknown[]; end(): void }> {
  const recording = createRecording(at.file(file));
  let isOver = false;
  const onEvent = (event: InspectionEvent): void => {
    if (!isOver) recording.write(event);
  };
  const relay = createInspectionRelay({ now: () => 0, onEvent, log: (line) => expect.fail(line) });
  const posted: unknown[] = [];
  relay.attendPage((message) => void posted.push(message));
  const client = await at.client();
  const link = createHostLink({ connect: () => Promise.resolve(client), now: () => 0 });
  const stop = followInspection({ link, open: relay.open, log: (line) => expect.fail(line) });
  return {
    posted,
    end: () => {
      isOver = true;
      stop();
      recording.close();
    },
  };
}

test('a key in an input, an environment, a header, an output, an answer and a title is in no message and no recording', async () => {
  const leak = {
    kind: 'command',
    command: [process.execPath, 'leak.mjs'],
    env: ['ROBOSMITH_KEY_LOCAL'],
    side_effects: 'none',
  };
  const all = [
    { on_signal: 'SIGNAL:SUCCESS', action: 'JUMP:Ask' },
    { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'JUMP:Ask' },
  ];
  const asks = {
    worker: 'Worker:Model',
    contract: 'Say hello.',
    transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'HALT_AND_FLAG' }],
  };
  const manifest = {
    version: 1,
    entry: 'Main',
    workers: { 'Worker:Model': MODEL(), 'Worker:Leak': leak },
    nodes: { Main: { entry_block: 'Leak', blocks: { Leak: { worker: 'Worker:Leak', transitions: all }, Ask: asks } } },
  };
  at = hostBench({
    '.gitignore': '.flow/\n',
    '.vision/workflows.json': JSON.stringify(manifest),
    'leak.mjs':
      "const { ROBOSMITH_KEY_LOCAL: key } = process.env;\nconsole.log(key);\nthrow new Error('denied: ' + key);\n",
  });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const keys = { ROBOSMITH_KEY_LOCAL: KEY, ROBOSMITH_URL_LOCAL: server.url('says') };
  await at.serve({ environment: { ...at.environment, ...keys } });
  const client = await at.client();
  const recorded = await record('run.inspection.jsonl');
  server.say(`The key is ${KEY}, in Base64 ${Buffer.from(KEY).toString('base64')}.\n\nSIGNAL:SUCCESS`);
  const { id } = await client.call('session.create', { ...DRAFT, title: `Use ${KEY}` });
  await client.call('session.change', { session: id, changes: { title: `Now use ${KEY}` } });
  const run = await at.start(client, `use ${KEY} here`);
  const { response } = await client.call('run.settled', { run });
  expect(response.reason).toBe('halted');
  expect(server.seen.at(-1)?.key).toBe(KEY);
  await expect.poll(() => JSON.stringify(recorded.posted.at(-1))).toContain('Main__Ask@HALT');
  recorded.end();
  const search = createKeySearch([KEY]);
  expect(search.inText(JSON.stringify(recorded.posted), 'the messages')).toEqual([]);
  expect(search.below(at.file('run.inspection.jsonl'))).toEqual([]);
  expect(JSON.stringify(recorded.posted)).toContain('Use [key]');
});
