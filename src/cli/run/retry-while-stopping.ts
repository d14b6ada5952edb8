import { setTimeout } from 'node:timers/promises';
import { RoboSmithError } from '#protocol/error.ts';

const MOST_TRIES = 20;
const PAUSE_MS = 100;

const isStopping = (thrown: unknown): boolean =>
  RoboSmithError.is(thrown, 'host_failed') && thrown.data['stopping'] === true;

/** Retries while the host is stopping, because there will soon be a new host or none. */
export async function retryWhileStopping<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!isStopping(thrown) || tries === MOST_TRIES) throw thrown;
      await setTimeout(PAUSE_MS);
    }
  }
}
