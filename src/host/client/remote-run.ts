import { RoboSmithError } from '#protocol/error.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import type { AnswerOutcome } from '#protocol/run.ts';
import type { HostClient } from '#protocol/host-client.ts';

/** A run in a host, with the interface of a run in this process. */
interface RemoteRun {
  readonly id: RunId;
  /** Resolves once all available events were delivered. Rejects with `host_failed` if the connection is lost before. */
  settled(): Promise<Response>;
  halts(): readonly Halt[];
  answer(halt: HaltId, answer: Answer): Promise<AnswerOutcome>;
  /** `answer` waits in the host until a resumed run has reached the halt. */
  readonly waitsForHalt: true;
  /** Rejects with `host_failed` when the connection is lost. */
  readonly lost: Promise<never>;
  /** Adds a listener. Earlier events are delivered to the first listener. */
  subscribe(listener: EventListener): () => void;
}

/** Delivers the events of a run in order, each once. Events before the first listener are delivered to it. */
function createDelivery(after: number) {
  const listeners = new Set<EventListener>();
  /** Events before the first listener; null once there was one. */
  let unheard: RoboSmithEvent[] | null = [];
  let seen = after;
  return {
    /** Returns the number of the last event that was received, or skipped. */
    seen: (): number => seen,
    take: (event: RoboSmithEvent | LoggedEvent): void => {
      if (event.seq <= seen) return;
      seen = event.seq;
      if ('payload' in event) return;
      unheard?.push(event);
      for (const listener of [...listeners]) listener(event);
    },
    skipTo: (seq: number): void => {
      seen = seq;
    },
    subscribe: (listener: EventListener): (() => void) => {
      listeners.add(listener);
      for (const event of unheard ?? []) listener(event);
      unheard = null;
      return () => void listeners.delete(listener);
    },
  };
}

/** Follows a run from the first event after number `after`. `warn` is called if events were lost. */
export async function remoteRun(
  client: HostClient,
  run: RunId,
  after: number,
  warn: (message: string) => void,
): Promise<RemoteRun> {
  const { seen, take, skipTo, subscribe: listen } = createDelivery(after);
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  void client.gone.then(() => {
    lost.reject(new RoboSmithError('host_failed', 'The connection to the engine host was lost.'));
  });
  let halts: readonly Halt[] = [];
  let current = -1;
  const subscribe = async (): Promise<number> => {
    current = (await client.call('events.subscribe', { run, after: seen() })).subscription;
    return current;
  };
  let subscription = subscribe();
  client.on('events', ({ events }) => {
    for (const event of events) if (event.run_id === run) take(event);
  });
  // This client was too slow: the missed events are read from the log.
  client.on('events.ended', (ended) => {
    if (ended.subscription !== current) return;
    subscription = subscribe();
    subscription.catch(lost.reject);
  });
  await subscription;

  const miss = (seq: number, why: string): void => {
    warn(`${seq - seen()} events of ${run} were lost: ${why}. See robosmith runs show ${run} for what it did.`);
    skipTo(seq);
  };
  /**
   * Waits until an event was received. Events that precede an answer on the same connection arrive before it, so after
   * the answer to `events.caughtUp` a missing event is lost.
   */
  const untilSeen = async (seq: number): Promise<void> => {
    while (seen() < seq) {
      const asked = subscription;
      await client.call('events.caughtUp', { subscription: await asked });
      if (seen() >= seq || asked !== subscription) continue;
      miss(seq, 'they are not in .flow/logs');
    }
  };
  /**
   * Waits until an event was received or the connection is lost. A host that stops disconnects right after the run has
   * settled.
   */
  const untilReceived = async (seq: number): Promise<void> => {
    try {
      await Promise.race([untilSeen(seq), lost.promise]);
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'host_failed')) throw thrown;
      if (seen() < seq) miss(seq, 'the engine host has stopped');
    }
  };
  return {
    id: run,
    settled: async () => {
      const { response, seq } = await Promise.race([client.call('run.settled', { run }), lost.promise]);
      await untilReceived(seq);
      halts = response.reason === 'halted' ? (response.details.halts ?? []) : [];
      return response;
    },
    halts: () => halts,
    answer: (halt, answer) => client.call('run.answer', { run, halt, answer }),
    subscribe: listen,
    waitsForHalt: true,
    lost: lost.promise,
  };
}
