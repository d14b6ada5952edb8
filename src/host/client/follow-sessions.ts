import { RoboSmithError } from '#protocol/error.ts';
import type { SessionNews } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { HostClient } from '#protocol/host-client.ts';

/** Why no more changes arrive: the host is gone, or it can't read its sessions. */
interface LostSessions {
  readonly why: 'gone' | 'failed';
  readonly message: string;
}

export type FollowedSessions =
  | {
      readonly kind: 'followed';
      /** Resolves when no more changes arrive; with null if this client ended the subscription. */
      readonly over: Promise<LostSessions | null>;
      end(): void;
    }
  /** The host is older and has no such method. */
  | { readonly kind: 'unsupported'; readonly message: string };

/**
 * Follows the sessions of a host: first the whole list, then changes. The whole list is sent again if this client was
 * too slow.
 */
export async function followSessions(
  client: HostClient,
  onNews: (news: SessionNews) => void,
): Promise<FollowedSessions> {
  const over = Promise.withResolvers<LostSessions | null>();
  let current: number | null = null;
  let isOver = false;

  const stops = [
    client.on('sessions', ({ subscription, ...news }) => {
      if (subscription === current) onNews(news);
    }),
    client.on('sessions.ended', ({ subscription, why, message }) => {
      if (subscription !== current) return;
      current = null;
      if (why === 'failed') finish({ why, message });
      else subscribe().catch((thrown: unknown) => finish({ why: 'failed', message: messageOf(thrown) }));
    }),
  ];
  const finish = (lost: LostSessions | null): void => {
    isOver = true;
    for (const stop of stops) stop();
    over.resolve(lost);
  };
  const leave = (subscription: number): void => {
    current = null;
    // Nothing to do if the host is gone.
    client.call('sessions.unsubscribe', { subscription }).catch(() => undefined);
  };
  const subscribe = async (): Promise<void> => {
    const { subscription } = await client.call('sessions.subscribe', {});
    if (isOver) leave(subscription);
    else current = subscription;
  };

  try {
    await subscribe();
  } catch (thrown) {
    finish(null);
    if (RoboSmithError.is(thrown, 'usage')) return { kind: 'unsupported', message: thrown.message };
    throw thrown;
  }
  void client.gone.then(() => finish({ why: 'gone', message: 'The connection to the engine host was lost.' }));
  return {
    kind: 'followed',
    over: over.promise,
    end: () => {
      if (isOver) return;
      finish(null);
      if (current !== null) leave(current);
    },
  };
}
