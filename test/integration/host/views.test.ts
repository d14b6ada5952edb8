import { afterEach, expect, test } from 'vitest';
import { createHostLink, createViewBridge, type HostClient } from '#host/client/index.ts';
import type { HaltView, HostToView, ViewToHost } from '#protocol/generated/view.gen.ts';
import { readHostMessage } from '#protocol/view/read-message.ts';
import { type HostBench, hostBench } from './host-bench.ts';
import { until } from '../../support/until.ts';

let at: HostBench;
afterEach(() => at.remove());

type Payload<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

type Sent<Command extends HostToView['command']> = Extract<HostToView, { command: Command }>['payload'];

/** Opens a view over a link and collects all messages that it receives. */
function viewOf(link: ReturnType<typeof createHostLink>, open: string | null = null) {
  const messages: HostToView[] = [];
  const bridge = createViewBridge({
    link,
    project: 'project',
    open,
    local: () => null,
    now: () => 1,
    log: () => undefined,
    post: (message) => void messages.push(message),
  });
  const send = <Command extends ViewToHost['command']>(command: Command, payload: Payload<Command>): void =>
    bridge.hear({ protocol: 1, command, payload });
  const last = <Command extends HostToView['command']>(command: Command): Sent<Command> | undefined =>
    messages.findLast((message) => message.command === command)?.payload as Sent<Command> | undefined;
  return { bridge, messages, send, last };
}

const linkTo = (connect: () => Promise<HostClient>) => createHostLink({ connect, now: () => 1 });

/** Returns the halts that the view shows after all snapshots and patches. */
function haltsOf(messages: readonly HostToView[]): readonly HaltView[] {
  let halts: readonly HaltView[] = [];
  for (const message of messages) {
    if (message.command === 'snapshot') halts = message.payload.state.workflow?.halts ?? [];
    if (message.command !== 'patch') continue;
    for (const change of message.payload.changes) if (change.kind === 'halts') halts = change.halts;
  }
  return halts;
}

/** Returns the final status of each block after all snapshots and patches. */
function blocksOf(messages: readonly HostToView[]): Readonly<Record<string, string>> {
  const blocks: Record<string, string> = {};
  for (const message of messages) {
    const found =
      message.command === 'snapshot'
        ? (message.payload.state.workflow?.blocks ?? [])
        : message.command === 'patch'
          ? message.payload.changes.flatMap((change) => (change.kind === 'blocks' ? change.blocks : []))
          : [];
    for (const { block, status } of found) blocks[block] = status;
  }
  return blocks;
}

test('a view is sent the workflow, then its run as it goes on, all of it by the schema and numbered without a gap', async () => {
  at = hostBench();
  await at.serve();
  const link = linkTo(at.client);
  const view = viewOf(link);
  view.send('ready', { view: 'mission-control' });
  await until(() => view.last('layout') !== undefined);
  expect(view.last('snapshot')?.state).toMatchObject({ project: 'project', open: null, workflow: { run: null } });
  await at.client().then(at.start);
  await until(() => blocksOf(view.messages)['Main__C'] === 'complete');
  expect(blocksOf(view.messages)).toEqual({ Main__A: 'complete', Main__B: 'complete', Main__C: 'complete' });
  expect(view.messages.map((message) => readHostMessage(message)).filter(({ ok }) => !ok)).toEqual([]);
  const numbers = view.messages.flatMap((message) =>
    message.command === 'snapshot' || message.command === 'patch' ? [message.payload.seq] : [],
  );
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  view.bridge.end();
  link.close();
});

test('a view starts a run, is told what a block said, and how the run stood at a step', async () => {
  at = hostBench();
  await at.serve();
  await (
    await at.client()
  )
    .call('trust.look', {})
    .then(async ({ hash }) => (await at.client()).call('trust.remember', { hash }));
  const link = linkTo(at.client);
  const view = viewOf(link);
  view.send('ready', { view: 'mission-control' });
  await until(() => view.last('snapshot') !== undefined);
  view.send('run', { request: '1', session: null, start: null, step: false, input: null });
  await until(() => view.last('reply') !== undefined);
  expect(view.last('reply')).toEqual({ request: '1', ok: true, message: null });
  await until(() => blocksOf(view.messages)['Main__C'] === 'complete');
  const run = view.last('snapshot')?.state.workflow?.run?.run ?? '';
  view.send('requestPast', { run, step: 1 });
  await until(() => view.last('past') !== undefined);
  expect(view.last('past')?.blocks.map(({ block, status }) => [block, status])).toEqual([['Main__A', 'complete']]);
  view.send('requestConversation', { run, block: 'Main__A', visit: null });
  view.send('requestContext', { run, block: 'Main__A', visit: null });
  view.send('requestBlock', { run, block: 'Main__A', visit: null });
  await until(() => view.last('block') !== undefined);
  expect(view.last('conversation')?.turns.map(({ role, visit }) => [role, visit])).toEqual([['worker', 1]]);
  expect(view.last('context')?.layers.map(({ name }) => name)).toEqual([
    ...['Payload', 'Contract', 'Inherited', 'Artifacts', 'System'],
  ]);
  expect(view.last('block')).toMatchObject({ block: 'Main__A', visit: 1, failure: null });
  expect(view.messages.map((message) => readHostMessage(message)).filter(({ ok }) => !ok)).toEqual([]);
  view.bridge.end();
  link.close();
});

test('a step begins the block whose halt the view showed, and no later one', async () => {
  at = hostBench();
  await at.serve();
  const client = await at.client();
  await client.call('trust.remember', { hash: (await client.call('trust.look', {})).hash });
  const link = linkTo(at.client);
  const view = viewOf(link);
  view.send('ready', { view: 'mission-control' });
  await until(() => view.last('snapshot') !== undefined, 'the view');
  view.send('run', { request: '1', session: null, start: null, step: true, input: null });
  await until(() => view.last('reply') !== undefined, 'the start');
  expect(view.last('reply')).toMatchObject({ ok: true });
  const waitsBefore = async (block: string) => {
    await until(() => haltsOf(view.messages)[0]?.block === block, `the halt before ${block}`);
    return haltsOf(view.messages)[0] ?? { run: '', halt: '' };
  };
  const { run, halt } = await waitsBefore('Main__A');
  view.send('step', { request: '2', run, halt });
  await waitsBefore('Main__B');
  view.send('step', { request: '3', run, halt });
  await until(() => view.last('reply')?.request === '3', 'the refusal');
  expect(view.last('reply')).toMatchObject({ ok: false });
  expect([at.ran(), haltsOf(view.messages).map(({ block }) => block)]).toEqual([['A'], ['Main__B']]);
  view.bridge.end();
  link.close();
});

test('what the user has not trusted is not run from a view', async () => {
  at = hostBench();
  await at.serve();
  const link = linkTo(at.client);
  const view = viewOf(link);
  view.send('ready', { view: 'mission-control' });
  view.send('run', { request: '1', session: null, start: null, step: false, input: null });
  await until(() => view.last('reply') !== undefined);
  await until(() => view.last('snapshot') !== undefined);
  view.send('run', { request: '2', session: null, start: null, step: false, input: null });
  await until(() => view.last('reply')?.request === '2');
  expect(view.last('reply')).toMatchObject({
    ok: false,
    refusal: { code: 'not_trusted', next: 'robosmith ui --trust' },
  });
  expect(at.ran()).toEqual([]);
  view.bridge.end();
  link.close();
});

test('a view whose host goes away is told so, and is shown the next one', async () => {
  at = hostBench();
  const host = await at.serve();
  const link = linkTo(at.client);
  const view = viewOf(link);
  view.send('ready', { view: 'mission-control' });
  await until(() => view.last('snapshot') !== undefined);
  const before = view.last('snapshot')?.epoch;
  await host.stop();
  const lost = { kind: 'engine', engine: { kind: 'lost', since: 1 } };
  await until(() => JSON.stringify(view.last('patch')?.changes) === JSON.stringify([lost]));
  await at.serve();
  link.retry();
  await until(() => view.last('snapshot')?.epoch !== before);
  expect(view.last('snapshot')?.state.engine).toEqual({ kind: 'connected' });
  view.bridge.end();
  link.close();
});

test('messages that fit no schema are logged and change nothing', async () => {
  at = hostBench();
  await at.serve();
  const client = await at.client();
  const { view } = await client.call('view.open', { open: null });
  for (const message of [
    null,
    1,
    'ready',
    {},
    { protocol: 1, command: 'eval', payload: {} },
    { protocol: 2, command: 'ready', payload: {} },
  ])
    await client.call('view.send', { view, message: message as never });
  expect(at.said.filter((line) => line.startsWith('a message of a view was ignored')).length).toBe(6);
});
