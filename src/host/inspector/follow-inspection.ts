import type { InspectionEvent } from '#protocol/inspection.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { HostClient, HostLink } from '../client/index.ts';
import type { Source } from './inspection-relay.ts';

interface FollowParts {
  readonly link: HostLink;
  readonly open: () => Source;
  readonly log: (message: string) => void;
}

/** Events that arrived before the answer to the request that subscribed to them. */
interface Early {
  readonly subscription: number;
  readonly events: readonly InspectionEvent[];
}

async function follow(client: HostClient, source: Source, log: (message: string) => void): Promise<void> {
  let own: number | null = null;
  let early: Early[] = [];
  const take = (events: readonly InspectionEvent[]): void => {
    for (const event of events) source.take(event);
  };
  const stops = [
    client.on('inspection', (notice) => {
      if (own === null) early.push(notice);
      else if (notice.subscription === own) take(notice.events);
    }),
    client.on('inspection.ended', ({ subscription, message }) => {
      if (subscription !== own) return;
      log(`${message} The inspection starts again.`);
      // Actors may have ended while nothing was subscribed, so all are marked as stopped. The new subscription reports
      // the live ones again.
      source.end();
      void begin();
    }),
  ];
  const subscribe = async (): Promise<void> => {
    own = null;
    const { subscription } = await client.call('inspect.open', {});
    own = subscription;
    for (const notice of early) if (notice.subscription === subscription) take(notice.events);
    early = [];
  };
  const begin = (): Promise<void> =>
    subscribe().catch((thrown: unknown) => log(`The engine host can't be inspected: ${messageOf(thrown)}`));
  await begin();
  await client.gone;
  for (const stop of stops) stop();
}

/**
 * Follows the actors of a project's host, and those of the next host after it has ended. Returns a function that stops
 * following.
 */
export function followInspection({ link, open, log }: FollowParts): () => void {
  const attend = async (client: HostClient): Promise<void> => {
    const source = open();
    await follow(client, source, log);
    source.end();
  };
  const known = link.state();
  const stop = link.onState((state) => {
    if (state.kind === 'connected') void attend(state.client);
    else if (state.kind === 'lost') log(state.why);
  });
  if (known.kind === 'connected') void attend(known.client);
  else link.reach().catch(() => undefined);
  return stop;
}
