import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createHostLink, createViewBridge } from '#host/client/index.ts';
import type { HostToView, ViewToHost } from '#protocol/generated/view.gen.ts';
import { readHostMessage } from '#protocol/view/read-message.ts';
import { streamOf } from '../../support/model-answers.ts';
import { type HostBench, hostBench } from './host-bench.ts';
import { until } from '../../support/until.ts';

let at: HostBench;
afterEach(() => at.remove());

const TEXTS = ['The cause', ' is a typing slip.', '\n\nSIGNAL:SUCCESS'];

/** Starts a model server whose answer the test writes, part by part. */
async function modelServer() {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      begun.resolve(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  return { url, response: begun.promise };
}

const manifestFor = (url: string): string =>
  JSON.stringify({
    version: 1,
    entry: 'Main',
    workers: {
      'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url, persona: 'Careful' },
    },
    nodes: {
      Main: {
        entry_block: 'Ask',
        blocks: {
          Ask: {
            worker: 'Worker:Model',
            contract: 'Find it.',
            on: { SUCCESS: 'RETURN', FAIL_DEFAULT: 'HALT_AND_FLAG' },
          },
        },
      },
    },
  });

type Sent<Command extends HostToView['command']> = Extract<HostToView, { command: Command }>['payload'];

test('an answer is in the conversation and in the facts of its block while a model writes it', async () => {
  const model = await modelServer();
  at = hostBench({ '.vision/workflows.json': manifestFor(model.url) });
  await at.serve();
  const client = await at.client();
  await client.call('trust.remember', { hash: (await client.call('trust.look', {})).hash });
  const messages: HostToView[] = [];
  const link = createHostLink({ connect: at.client, now: () => 1 });
  const bridge = createViewBridge({
    link,
    project: 'project',
    open: null,
    local: () => null,
    now: () => 1,
    log: () => undefined,
    post: (message) => void messages.push(message),
  });
  const send = (message: Omit<ViewToHost, 'protocol'>): void => bridge.hear({ protocol: 1, ...message });
  const all = <Command extends HostToView['command']>(command: Command): readonly Sent<Command>[] =>
    messages.flatMap((message) => (message.command === command ? [message.payload as Sent<Command>] : []));
  const last = <Command extends HostToView['command']>(command: Command): Sent<Command> | undefined =>
    all(command).at(-1);
  const ask = async (command: 'requestConversation' | 'requestBlock', run: string): Promise<void> => {
    const reply = command === 'requestBlock' ? 'block' : 'conversation';
    const before = all(reply).length;
    send({ command, payload: { run, block: 'Main__Ask', visit: null } });
    await until(() => all(reply).length > before);
  };

  send({ command: 'ready', payload: { view: 'mission-control' } });
  await until(() => last('snapshot') !== undefined);
  send({ command: 'run', payload: { request: '1', session: null, start: null, step: false, input: null } });
  await until(() => last('snapshot')?.state.workflow?.run !== null);
  const run = last('snapshot')?.state.workflow?.run?.run ?? '';
  const response = await model.response;
  const { head, texts, end } = streamOf('chat', TEXTS);
  for (const part of [...head, texts[0] ?? '']) response.write(part);
  await until(() => last('stream') !== undefined);
  const of = { run, block: 'Main__Ask', visit: 1, attempt: 1 };
  expect(all('stream')).toEqual([{ ...of, offset: 0, text: 'The cause' }]);

  await ask('requestConversation', run);
  expect(last('conversation')?.turns.at(-1)).toMatchObject({
    role: 'assistant',
    kind: 'ai',
    visit: 1,
    streaming: true,
    text: { text: 'The cause', more: null },
  });
  await ask('requestBlock', run);
  expect(last('block')).toMatchObject({ streaming: true, answer: { text: 'The cause', more: null } });

  response.write(texts[1] ?? '');
  await until(() => all('stream').length === 2);
  expect(last('stream')).toEqual({ ...of, offset: 'The cause'.length, text: ' is a typing slip.' });
  for (const part of [...texts.slice(2), ...end]) response.write(part);
  response.end();
  await until(() =>
    all('patch').some(({ changes }) => changes.some((one) => one.kind === 'run' && one.run.status === 'completed')),
  );
  await ask('requestConversation', run);
  expect(last('conversation')?.turns.map(({ role, streaming }) => [role, streaming])).toEqual([
    ['system', false],
    ['assistant', false],
  ]);
  await ask('requestBlock', run);
  expect(last('block')).toMatchObject({ streaming: false });
  expect(messages.map((message) => readHostMessage(message)).filter(({ ok }) => !ok)).toEqual([]);
  bridge.end();
  link.close();
});
