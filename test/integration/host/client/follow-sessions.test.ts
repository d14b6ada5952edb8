import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type FollowedSessions, followSessions, type HostClient } from '#host/client/index.ts';
import { dial } from '#host/client/dial.ts';
import { newHostPlace } from '#host/wire/host-place.ts';
import { listen } from '#host/server/listen.ts';
import { methodTable } from '#host/server/methods/methods.ts';
import type { HostNotices, SessionNews } from '#protocol/host.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionOrder } from '#protocol/session-api.ts';
import { type RawClient, rawClient } from '../../../e2e/cli/raw-client.ts';
import { type HostBench, hostBench } from '../host-bench.ts';
import { until } from '../../../support/until.ts';

let at: HostBench;
let raw: RawClient[] = [];
afterEach(async () => {
  for (const client of raw) client.close();
  raw = [];
  await at.remove();
});

const draft = (title: string, plan: readonly string[] = []): SessionOrder => ({
  title,
  job: null,
  plan,
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: true,
});

/** Starts a host for a repository, because sessions need one. */
async function repository() {
  at = hostBench({ '.gitignore': '.flow/\n' });
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: at.root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const host = await at.serve();
  return { host, client: await at.client() };
}

const followed = (found: FollowedSessions): Extract<FollowedSessions, { readonly kind: 'followed' }> => {
  if (found.kind !== 'followed') throw new Error(found.message);
  return found;
};

const movesIn = (received: readonly SessionNews[]): readonly string[] =>
  received.flatMap(({ moves }) => moves.map(({ session, to }) => `${session} ${to}`));

test('a session is told to all who follow, of one connection and of another; to nobody who has ended it', async () => {
  const { client } = await repository();
  const other = await at.client();
  const [first, left, far]: SessionNews[][] = [[], [], []];
  await followSessions(client, (news) => first?.push(news));
  const leaving = followed(await followSessions(client, (news) => left?.push(news)));
  await followSessions(other, (news) => far?.push(news));
  await until(() => [first, left, far].every((received) => received?.length === 1), 'the whole list');
  expect([first, left, far]).toEqual(Array.from({ length: 3 }, () => [{ whole: true, moves: [], sessions: [] }]));
  leaving.end();
  expect(await leaving.over).toBeNull();

  const { id } = await client.call('session.create', draft('Alpha', ['a.txt']));
  const hasRow = (received: readonly SessionNews[] = []): boolean =>
    received.some(({ sessions }) => sessions.length > 0);
  await until(() => hasRow(first) && hasRow(far), 'a row');
  expect([movesIn(first ?? []), movesIn(far ?? [])]).toEqual([[`${id} draft`], [`${id} draft`]]);
  expect(first?.at(-1)).toMatchObject({
    whole: false,
    sessions: [{ session: { id, title: 'Alpha', state: 'draft' }, overlap: 'Clear', queue: 'draft', run: null }],
  });
  expect(left).toHaveLength(1);
});

test('who follows is told that the host has gone, or that its sessions can’t be read', async () => {
  const { host, client } = await repository();
  const received: SessionNews[] = [];
  const unread = followed(await followSessions(client, (news) => received.push(news)));
  await until(() => received.length === 1, 'the whole list');
  const kept = at.file('.flow/sessions.json');
  at.write('.flow/sessions.json', '{');
  expect(await unread.over).toEqual({ why: 'failed', message: expect.stringContaining(kept) as string });

  at.unlink('.flow/sessions.json');
  const gone = followed(await followSessions(client, () => undefined));
  await host.stop();
  expect(await gone.over).toEqual({ why: 'gone', message: 'The connection to the engine host was lost.' });
});

test('an older host has no such method, and the client says so', async () => {
  at = hostBench();
  const place = newHostPlace(at.root, at.environment);
  const about = { protocol: 1, version: '0.0.1', pid: process.pid, root: at.root, since: 0 };
  const older = await listen({
    place,
    about,
    methods: methodTable(),
    log: () => undefined,
    onChange: () => undefined,
    accepts: () => true,
  });
  try {
    const client = await dial(place.socket, { environment: at.environment, client: 'test' });
    if (client === null) throw new Error('nobody answers');
    expect(await followSessions(client, () => undefined)).toEqual({
      kind: 'unsupported',
      message: 'There is no method "sessions.subscribe".',
    });
    client.close();
  } finally {
    await older.close();
  }
});

const rawTo = async (socket: string): Promise<RawClient> => {
  const client = await rawClient(socket);
  raw.push(client);
  await client.hello(readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
};

const noticesOf = <Name extends keyof HostNotices>({ notices }: RawClient, name: Name): readonly HostNotices[Name][] =>
  notices.flatMap(({ method, params }) => (method === name ? [params as HostNotices[Name]] : []));

test('a client that never reads holds up nobody; when it reads again, it begins with the whole list', async () => {
  const { host, client } = await repository();
  const { socket } = host.status();
  const large = Array.from({ length: 10_000 }, (_, n) => `${'folder/'.repeat(20)}${String(n)}.txt`);
  const { id } = await client.call('session.create', draft('Large', large));
  const [deaf, friend] = [await rawTo(socket), await rawTo(socket)];
  for (const one of [deaf, friend]) await one.ask('sessions.subscribe');
  await friend.when(() => noticesOf(friend, 'sessions')[0]);
  deaf.socket.pause();
  for (let changes = 1; changes <= 10; changes += 1) {
    const title = `Large ${String(changes)}`;
    await client.call('session.change', { session: id, changes: { title } });
    await friend.when(() => noticesOf(friend, 'sessions').find(({ sessions }) => sessions[0]?.session.title === title));
  }
  expect(noticesOf(friend, 'sessions.ended')).toEqual([]);
  deaf.socket.resume();
  const ended = await deaf.when(() => noticesOf(deaf, 'sessions.ended')[0]);
  expect(ended).toMatchObject({ why: 'too_slow', message: expect.stringContaining('subscribe again') as string });
  const { result } = await deaf.ask('sessions.subscribe');
  const { subscription } = result as { readonly subscription: number };
  const again = await deaf.when(() => noticesOf(deaf, 'sessions').find((one) => one.subscription === subscription));
  expect([again.whole, again.sessions[0]?.session.title]).toEqual([true, 'Large 10']);
});

test('a client that follows too often loses the oldest of them, and no other client does', async () => {
  const { host, client } = await repository();
  const { socket } = host.status();
  const [greedy, friend] = [await rawTo(socket), await rawTo(socket)];
  await friend.ask('sessions.subscribe');
  for (let asked = 0; asked < 40; asked += 1) await greedy.ask('sessions.subscribe');
  const lists = (one: RawClient): readonly number[] =>
    noticesOf(one, 'sessions').flatMap(({ whole, subscription }) => (whole ? [subscription] : []));
  await friend.when(() => lists(friend).includes(1) || undefined);
  await greedy.when(() => lists(greedy).includes(41) || undefined);
  await client.call('session.create', draft('Alpha'));
  const hasMove = (one: RawClient, count: number): true | undefined =>
    noticesOf(one, 'sessions').filter(({ moves }) => moves.length > 0).length === count || undefined;
  await friend.when(() => hasMove(friend, 1));
  await greedy.when(() => hasMove(greedy, 16));
  const numbers = noticesOf(greedy, 'sessions').flatMap(({ moves, subscription }) => moves.map(() => subscription));
  expect(numbers).toEqual(Array.from({ length: 16 }, (_, n) => n + 26));
});

/** Returns a client, and functions with which the test acts as the client's host. */
function byHand() {
  const listeners = new Map<string, (notice: unknown) => void>();
  const asked: string[] = [];
  const client = {
    gone: new Promise(() => undefined),
    on: (name: string, listener: (notice: unknown) => void) => {
      listeners.set(name, listener);
      return () => void listeners.delete(name);
    },
    call: (method: string, params: { readonly subscription?: number }) => {
      asked.push(`${method} ${String(params.subscription ?? '')}`.trim());
      return Promise.resolve({ subscription: asked.length });
    },
  } as unknown as HostClient;
  return { client, asked, notify: (name: string, notice: unknown): void => listeners.get(name)?.(notice) };
}

test('who was too slow for once is told the whole list again, and nothing of what was before', async () => {
  at = hostBench();
  const { client, asked, notify } = byHand();
  const received: SessionNews[] = [];
  const { over, end } = followed(await followSessions(client, (news) => received.push(news)));
  const news = (subscription: number, id: string) => ({
    subscription,
    whole: true,
    moves: [],
    sessions: [{ session: { id: id as SessionId } }],
  });
  notify('sessions', news(1, 'first'));
  notify('sessions.ended', { subscription: 1, why: 'too_slow', message: '' });
  await new Promise(setImmediate);
  notify('sessions', news(1, 'late'));
  notify('sessions', news(2, 'again'));
  expect(received.map(({ sessions }) => sessions[0]?.session.id)).toEqual(['first', 'again']);
  end();
  end();
  notify('sessions', news(2, 'after'));
  expect([await over, received.length]).toEqual([null, 2]);
  expect(asked).toEqual(['sessions.subscribe', 'sessions.subscribe', 'sessions.unsubscribe 2']);
});
