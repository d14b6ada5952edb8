import { RoboSmithError } from '#protocol/error.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import type { AnswerOutcome } from '#protocol/run.ts';
import type { HostClient } from './dial.ts';

/** A run in a host, much like one in this process. */
export interface RemoteRun {
  readonly id: RunId;
  /** All events until then have been told. Rejects with `host_failed` when the host goes away. */
  settled(): Promise<Response>;
  halts(): readonly Halt[];
  answer(halt: HaltId, answer: Answer): Promise<AnswerOutcome>;
  subscribe(listener: EventListener): () => void;
}

/** Follows a run from its first event that is not known here (`after`). */
export async function remoteRun(client: HostClient, run: RunId, after: number): Promise<RemoteRun> {
  const listeners = new Set<EventListener>();
  const gone = client.gone.then(() => {
    throw new RoboSmithError('host_failed', 'The engine host has gone away.');
  });
  gone.catch(() => undefined);
  let halts: readonly Halt[] = [];
  let seen = after;
  let subscription = -1;
  let wake = Promise.withResolvers<undefined>();

  const hear = (event: RoboSmithEvent | LoggedEvent): void => {
    if (event.seq <= seen) return;
    seen = event.seq;
    if ('payload' in event) return;
    for (const listener of [...listeners]) listener(event);
  };
  const subscribe = async (): Promise<void> => {
    subscription = (await client.call('events.subscribe', { run, after: seen })).subscription;
  };
  client.on('events', ({ events }) => {
    for (const event of events) if (event.run_id === run) hear(event);
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  });
  // Too slow for once: what was missed is in the log.
  client.on('events.ended', (ended) => {
    if (ended.subscription === subscription) void subscribe().catch(() => undefined);
  });
  await subscribe();

  const untilSeen = async (seq: number): Promise<void> => {
    while (seen < seq) await Promise.race([wake.promise, gone]);
  };
  return {
    id: run,
    settled: async () => {
      const { response, seq } = await Promise.race([client.call('run.settled', { run }), gone]);
      await untilSeen(seq);
      const { halts: waiting } = response.details;
      halts = response.reason === 'halted' && Array.isArray(waiting) ? (waiting as readonly Halt[]) : [];
      return response;
    },
    halts: () => halts,
    answer: (halt, answer) => client.call('run.answer', { run, halt, answer }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
