import { RoboSmithError } from '#protocol/error.ts';
import type { Caller } from './methods.ts';

/** Keeps the long requests of each client, which are aborted when the client disconnects. */
export function createStreams() {
  const clients = new WeakMap<Caller, Map<number, AbortController>>();
  const of = (caller: Caller): Map<number, AbortController> => {
    const known = clients.get(caller);
    if (known !== undefined) return known;
    const streams = new Map<number, AbortController>();
    clients.set(caller, streams);
    caller.onGone(() => {
      for (const stop of streams.values()) stop.abort(new RoboSmithError('refused', 'The client has disconnected.'));
    });
    return streams;
  };
  return {
    stop: (caller: Caller, stream: number): boolean => {
      const found = of(caller).get(stream);
      found?.abort(new RoboSmithError('refused', 'The request was cancelled.'));
      return found !== undefined;
    },
    /** Runs a request under its stream number, which can be used again afterwards. */
    during: async <Result>(caller: Caller, stream: number, work: (signal: AbortSignal) => Promise<Result>) => {
      const streams = of(caller);
      if (streams.has(stream))
        throw new RoboSmithError('usage', `Stream ${stream} is in use.`, { parameter: 'stream' });
      const stop = new AbortController();
      streams.set(stream, stop);
      try {
        return await work(stop.signal);
      } finally {
        streams.delete(stream);
      }
    },
  };
}
