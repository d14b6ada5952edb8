import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostStatus, SessionNews } from '#protocol/host.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { verifies } from '../verifies.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { type SessionProject, sessionProject } from './session-project.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
let status: HostStatus;
let clients: RawClient[] = [];
beforeEach(async () => {
  at = await sessionProject();
  const { out, err } = await at.robosmith('host', 'start', '--json');
  const { host } = JSON.parse(out) as { readonly host: HostStatus | undefined };
  if (host === undefined) throw new Error(err);
  status = host;
});
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await at.remove();
});

const known = async (): Promise<RawClient> => {
  const client = await rawClient(status.socket);
  clients.push(client);
  await client.hello(readFileSync(status.socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
};

/** Subscribes a client to session changes. Returns all notifications, and the last row of each session by title. */
async function follower() {
  const client = await known();
  expect(await client.ask('sessions.subscribe')).toMatchObject({
    result: { subscription: expect.any(Number) as number },
  });
  const news = (): readonly SessionNews[] =>
    client.notices.flatMap(({ method, params }) => (method === 'sessions' ? [params as SessionNews] : []));
  await client.when(() => news()[0]);
  return {
    client,
    news,
    moves: () => news().flatMap(({ moves }) => moves),
    rows: () => new Map(news().flatMap(({ sessions }) => sessions.map((row) => [row.session.title, row] as const))),
  };
}

const logged = (): readonly SessionMoved[] =>
  readFileSync(at.file('.flow/logs/events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"session.moved"'))
    .map((line) => JSON.parse(line) as SessionMoved)
    .filter(({ type }) => type === 'session.moved');

const short = (moves: readonly SessionMoved[], of: string): readonly string[] =>
  moves.flatMap(({ title, to }) => (title === of ? [to] : []));

/** Returns the rows that `robosmith sessions` prints. */
const listed = async (): Promise<unknown> =>
  (JSON.parse((await at.robosmith('sessions', '--json')).out) as { readonly sessions: unknown }).sessions;

const MERGED = ['draft', 'queued', 'creating', 'running', 'ready', 'merging', 'merged'];

test('each move of two sessions that clash is reported once and in order, and rows as the command line has them', async () => {
  verifies('engine.host.session-moves');
  const first = await follower();
  expect(first.news()).toMatchObject([{ whole: true, moves: [], sessions: [] }]);
  for (const title of ['Alpha', 'Beta'])
    expect(
      (await at.robosmith('run', 'Fix', '--session', title, '--plan', 'src/a.txt', '--detach', '--trust')).code,
    ).toBe(0);
  await until(() => first.rows().get('Beta')?.order === 'FIFO #1', 'its place in the queue');
  expect(first.rows().get('Beta')).toMatchObject({
    overlap: 'Clash',
    queue: 'queued',
    session: { state: 'queued' },
    waits: { why: 'clash', for: [{ title: 'Alpha' }] },
  });
  const later = await follower();
  expect(later.news()[0]).toMatchObject({ whole: true, moves: [] });
  expect(later.news()[0]?.sessions.map(({ session }) => session.title)).toEqual(['Alpha', 'Beta']);
  const before = first.moves().length;

  at.openGate();
  await until(() => short(first.moves(), 'Alpha').includes('ready'), 'the end of Alpha');
  expect((await at.robosmith('sessions', 'merge', 'Alpha')).code).toBe(0);
  await until(() => short(first.moves(), 'Beta').includes('ready'), 'the end of Beta');
  expect((await at.robosmith('sessions', 'hold', 'Beta')).code).toBe(0);
  await until(() => short(first.moves(), 'Beta').includes('held'), 'that Beta is held');
  await until(() => first.rows().get('Beta')?.session.state === 'held', 'the row of Beta');

  expect(short(first.moves(), 'Alpha')).toEqual(MERGED);
  expect(short(first.moves(), 'Beta')).toEqual([...MERGED.slice(0, 5), 'holding', 'held']);
  expect(first.moves()).toEqual(logged());
  expect(later.moves()).toEqual(logged().slice(before));
  for (const { rows } of [first, later])
    await until(
      async () => JSON.stringify([...rows().values()]) === JSON.stringify(await listed()),
      'the rows of the command line',
    );

  expect((await at.robosmith('host', 'stop')).code).toBe(0);
  await Promise.all([first.client.closed, later.client.closed]);
  expect(first.moves()).toEqual(logged());
});

test('a conflict of what two sessions have done is reported when it is there', async () => {
  verifies('engine.host.session-moves');
  const one = await follower();
  at.openGate();
  for (const title of ['Alpha', 'Beta'])
    expect((await at.robosmith('run', 'Fix', '--session', title, '--detach', '--trust')).code).toBe(0);
  const conflicts = () => one.rows().get('Alpha')?.conflicts ?? [];
  await until(() => conflicts().length > 0, 'the conflict');
  expect(conflicts()).toMatchObject([{ with: { title: 'Beta' }, files: ['src/a.txt'] }]);
});

test('a client that follows and never reads keeps the host neither from its work nor from its end', async () => {
  verifies('engine.host.session-moves', 'engine.host.slow-client');
  const deaf = await known();
  await deaf.ask('sessions.subscribe');
  deaf.socket.pause();
  for (let asked = 0; asked < 200; asked += 1) void deaf.ask('sessions.subscribe');
  const friend = await follower();
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--session', 'Alpha', '--trust')).code).toBe(0);
  expect((await at.robosmith('sessions', 'merge', 'Alpha')).code).toBe(0);
  await until(() => short(friend.moves(), 'Alpha').includes('merged'), 'the merge');
  expect(short(friend.moves(), 'Alpha')).toEqual(MERGED);
  expect((await at.robosmith('host', 'stop')).code).toBe(0);
  await until(() => !isAlive(status.pid), 'the end of the host');
});
