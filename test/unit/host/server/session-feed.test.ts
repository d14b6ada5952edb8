import { expect, test } from 'vitest';
import type { SessionNews } from '#protocol/host.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { createSessionFeed, type SessionFeed } from '#host/server/feeds/session-feed.ts';

const A = 's0000000a' as SessionId;
const B = 's0000000b' as SessionId;

const row = (id: SessionId, order: string): SessionListing =>
  ({ session: { id }, order }) as Partial<SessionListing> as SessionListing;

const move = (session: SessionId, to: SessionMoved['to'], why: string | null = null): SessionMoved => ({
  type: 'session.moved',
  time: 0,
  session,
  title: 'T',
  from: 'draft',
  to,
  by: 'session.submit',
  why,
  remarks: [],
  branch: 'b',
  worktree: null,
});

/**
 * Formats a message that a client received: `*` for a complete list, `A>queued` for a state change, `A:1` for a row.
 */
const short = ({ whole, moves, sessions }: SessionNews): string => {
  const name = (id: SessionId): string => id.slice(-1).toUpperCase();
  const lines = [
    ...moves.map(({ session, to }) => `${name(session)}>${to}`),
    ...sessions.map(({ session, order }) => `${name(session.id)}:${order ?? ''}`),
  ];
  return `${whole ? '*' : ''}${lines.join(' ')}`;
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates a feed. The test controls its clock and its refreshes. */
function bench(limits = { items: 10, bytes: 100_000, batchBytes: 100_000 }) {
  let time = 0;
  let timer: { readonly at: number; readonly work: () => void } | null = null;
  let onChange: (() => void) | null = null;
  const looks: PromiseWithResolvers<readonly SessionListing[]>[] = [];
  const feed: SessionFeed = createSessionFeed({
    limits,
    rows: () => {
      const look = Promise.withResolvers<readonly SessionListing[]>();
      looks.push(look);
      return look.promise;
    },
    watch: (changed) => {
      onChange = changed;
      return () => (onChange = null);
    },
    after: (ms, work) => {
      const set = { at: time + ms, work };
      timer = set;
      return () => {
        if (timer === set) timer = null;
      };
    },
    now: () => time,
  });
  const pass = async (ms: number): Promise<void> => {
    time += ms;
    const due = timer;
    if (due === null || due.at > time) return;
    timer = null;
    due.work();
    await turn();
  };
  return {
    feed,
    pass,
    looks,
    change: () => onChange?.(),
    isWatched: () => onChange !== null,
    isPlanned: () => timer !== null,
    /** Lets a refresh begin, and makes it return these rows. */
    look: async (...rows: readonly SessionListing[]): Promise<void> => {
      await pass(250);
      looks.at(-1)?.resolve(rows);
      await turn();
    },
    follow: (send: (news: SessionNews) => Promise<void> = () => Promise.resolve()) => {
      const sent: string[] = [];
      const ends: string[] = [];
      const client = {
        send: (news: SessionNews): Promise<void> => {
          sent.push(short(news));
          return send(news);
        },
        ended: ({ why }: { readonly why: string }): void => void ends.push(why),
      };
      return { sent, ends, ...feed.subscribe(client) };
    },
  };
}

test('with nobody there nothing is looked at, before and after', async () => {
  const { feed, follow, look, pass, looks, isWatched, isPlanned } = bench();
  feed.moved(move(A, 'queued'));
  await pass(60_000);
  expect([looks.length, isWatched(), isPlanned()]).toEqual([0, false, false]);
  const one = follow();
  await look(row(A, '1'));
  expect([looks.length, isWatched(), isPlanned(), one.sent]).toEqual([1, true, true, ['*A:1']]);
  one.end();
  feed.moved(move(A, 'creating'));
  await pass(60_000);
  expect([looks.length, isWatched(), isPlanned(), one.sent]).toEqual([1, false, false, ['*A:1']]);
});

test('the whole list comes first, then each move once and in order, and no row that is older than them', async () => {
  const { feed, follow, look, pass, looks } = bench();
  const one = follow();
  feed.moved(move(A, 'queued'));
  await pass(0);
  feed.moved(move(A, 'creating'));
  const late = follow();
  feed.moved(move(A, 'running'));
  looks[0]?.resolve([row(A, 'queued'), row(B, '1')]);
  await turn();
  expect([one.sent, late.sent]).toEqual([['*A:queued B:1', 'A>creating', 'A>running'], []]);
  await pass(250);
  feed.moved(move(B, 'queued'));
  looks[1]?.resolve([row(A, 'running'), row(B, 'draft')]);
  await turn();
  expect(one.sent.slice(3)).toEqual(['B>queued', 'A:running']);
  expect(late.sent).toEqual(['*A:running B:draft', 'B>queued']);
  await look(row(A, 'running'), row(B, '2'));
  expect([one.sent.slice(5), late.sent.slice(2)]).toEqual([['B:2'], ['B:2']]);
});

test('of many changes one look tells, and only what is another now; without a change it looks more rarely', async () => {
  const { change, follow, look, pass, looks } = bench();
  const one = follow();
  await look(row(A, '1'), row(B, '1'));
  for (let changes = 0; changes < 50; changes += 1) change();
  await pass(249);
  expect(looks).toHaveLength(1);
  await pass(1);
  change();
  looks[1]?.resolve([row(A, '1'), row(B, '2')]);
  await turn();
  await look(row(A, '1'), row(B, '2'));
  expect([looks.length, one.sent]).toEqual([3, ['*A:1 B:1', 'B:2']]);
  await pass(4_999);
  expect(looks).toHaveLength(3);
  await pass(1);
  expect(looks).toHaveLength(4);
});

test('a look that takes long is not made again at once', async () => {
  const { change, follow, pass, looks } = bench();
  follow();
  await pass(0);
  await pass(3_000);
  looks[0]?.resolve([]);
  await turn();
  change();
  await pass(2_999);
  expect(looks).toHaveLength(1);
  await pass(1);
  expect(looks).toHaveLength(2);
});

test('who does not read is dropped at the limit, and holds up nobody', async () => {
  const { feed, follow, look, isWatched } = bench();
  const deaf = follow(() => new Promise(() => undefined));
  const quick = follow();
  await look(row(A, '1'));
  for (let moves = 0; moves < 12; moves += 1) {
    feed.moved(move(A, 'running'));
    await turn();
  }
  expect([deaf.sent, deaf.ends]).toEqual([['*A:1'], ['too_slow']]);
  expect([quick.sent.length, quick.ends]).toEqual([13, []]);
  quick.end();
  expect(isWatched()).toBe(false);
});

test('what is large counts by its size', async () => {
  const { feed, follow, look } = bench();
  const deaf = follow(() => new Promise(() => undefined));
  await look(row(A, '1'));
  for (let moves = 0; moves < 3; moves += 1) feed.moved(move(A, 'failed', 'x'.repeat(40_000)));
  expect(deaf.ends).toEqual(['too_slow']);
});

test('who has left is told nothing of what still stood in the queue', async () => {
  const { feed, follow, look } = bench();
  const read = Promise.withResolvers<undefined>();
  const one = follow(() => read.promise);
  await look(row(A, '1'));
  feed.moved(move(A, 'running'));
  one.end();
  read.resolve(undefined);
  await turn();
  expect(one.sent).toEqual(['*A:1']);
});

test('sessions that can’t be read end it, for those who wait for the list, too; the next one begins anew', async () => {
  const { follow, look, pass, looks, isWatched } = bench();
  const one = follow();
  await look(row(A, '1'));
  const late = follow();
  await pass(250);
  looks[1]?.reject(new Error('it is damaged'));
  await turn();
  expect([one.ends, late.ends, late.sent, isWatched()]).toEqual([['failed'], ['failed'], [], false]);
  const again = follow();
  await look(row(A, '1'));
  expect(again.sent).toEqual(['*A:1']);
});
