import type { EndedSessions, SessionNews } from '#protocol/host.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { createOutbox, type Outbox, OUTBOX_LIMITS, type OutboxLimits, type SizedItem } from './outbox.ts';
import { createAdaptivePoll, type AdaptivePollParts } from './adaptive-poll.ts';

/*
 * Sends session changes to clients: moves at once, rows after each refresh.
 * 1. A refresh reads the stored sessions before anything else, so it includes all moves before it and none after. A new
 * subscriber gets the list of the next refresh, and the moves since then.
 * 2. The row of a session that moved during the refresh is not sent: the next refresh has a newer one.
 * 3. Without subscribers, nothing is refreshed and nothing is kept.
 */

interface SessionClient {
  /** Resolves when the operating system has accepted the message. */
  send(news: SessionNews): Promise<void>;
  ended(why: Omit<EndedSessions, 'subscription'>): void;
}

interface SessionFeedParts extends Omit<AdaptivePollParts, 'refresh'> {
  /** Returns the rows. It must read the stored sessions synchronously, before it returns the promise. */
  readonly rows: () => Promise<readonly SessionListing[]>;
  /** Calls the listener when data that a row may show has changed. Returns a function that removes it. */
  readonly watch: (onChange: () => void) => () => void;
  readonly limits?: OutboxLimits;
}

export interface SessionFeed {
  moved(move: SessionMoved): void;
  subscribe(client: SessionClient): { readonly end: () => void };
}

const sized = (item: SessionNews): SizedItem<SessionNews> => ({ item, bytes: JSON.stringify(item).length });

const slowText = (count: number): string =>
  `${count} changes of sessions were not read in time; subscribe again for the whole list.`;

export function createSessionFeed({ rows, watch, limits = OUTBOX_LIMITS, ...parts }: SessionFeedParts): SessionFeed {
  const newcomers = new Set<SessionClient>();
  const followers = new Map<SessionClient, Outbox<SessionNews>>();
  const known = new Map<SessionId, string>();
  const movedSince = new Set<SessionId>();
  let unwatch: (() => void) | null = null;

  const restUnless = (): void => {
    if (newcomers.size + followers.size > 0) return;
    poll.end();
    unwatch?.();
    unwatch = null;
    known.clear();
  };
  const forget = (client: SessionClient): void => {
    newcomers.delete(client);
    followers.get(client)?.end();
    followers.delete(client);
    restUnless();
  };
  const follow = (client: SessionClient, list: Promise<readonly SizedItem<SessionNews>[]>): void => {
    const outbox = createOutbox<SessionNews>(limits, {
      before: list,
      send: async (all) => {
        for (const news of all) await client.send(news);
      },
      onFull: (count) => client.ended({ why: 'too_slow', message: slowText(count) }),
      onOver: () => forget(client),
    });
    newcomers.delete(client);
    followers.set(client, outbox);
  };
  const changedIn = (listed: readonly SessionListing[]): readonly SessionListing[] =>
    listed.filter((row) => {
      const { id } = row.session;
      const [text, last] = [JSON.stringify(row), known.get(id)];
      // If a session changed state while the list was read, its row is outdated and not sent. Its next row is always
      // sent.
      if (movedSince.has(id)) known.delete(id);
      else known.set(id, text);
      return !movedSince.has(id) && last !== text;
    });
  const fail = (thrown: unknown): void => {
    for (const client of [...newcomers, ...followers.keys()]) {
      forget(client);
      client.ended({ why: 'failed', message: messageOf(thrown) });
    }
  };

  const refresh = async (): Promise<void> => {
    const [before, came] = [[...followers.values()], [...newcomers]];
    const list = Promise.withResolvers<readonly SizedItem<SessionNews>[]>();
    movedSince.clear();
    const reading = rows();
    for (const client of came) follow(client, list.promise);
    try {
      const listed = await reading;
      if (came.length > 0) list.resolve([sized({ whole: true, moves: [], sessions: listed })]);
      const changed = followers.size === 0 ? [] : changedIn(listed);
      const news = changed.length === 0 ? null : sized({ whole: false, moves: [], sessions: changed });
      if (news !== null) for (const outbox of before) outbox.take(news);
    } catch (thrown) {
      fail(thrown);
      list.resolve([]);
    }
  };
  const poll = createAdaptivePoll({ ...parts, refresh });

  return {
    moved: (move) => {
      if (unwatch === null) return;
      movedSince.add(move.session);
      const news = sized({ whole: false, moves: [move], sessions: [] });
      for (const outbox of [...followers.values()]) outbox.take(news);
      poll.ask();
    },
    subscribe: (client) => {
      newcomers.add(client);
      unwatch ??= watch(poll.ask);
      poll.ask();
      return { end: () => forget(client) };
    },
  };
}
