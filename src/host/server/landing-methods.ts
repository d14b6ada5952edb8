import type { Engine, Sessions } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { LandingOrder } from '#protocol/landing-report.ts';
import type { Methods } from './methods/methods.ts';
import { countOf, environmentOf, flagOf, type Params, paramsOf, textOf } from './methods/read-params.ts';
import { createStreams } from './methods/streams.ts';

/** The maximum number of names. */
const MOST_NAMES = 1_000;

function namesOf(params: Params): readonly string[] {
  const { names } = params;
  if (Array.isArray(names) && names.length <= MOST_NAMES)
    return names.map((name: unknown) => textOf({ names: name }, 'names', 4_096));
  throw new RoboSmithError('usage', '"names" must be a list of names.', { parameter: 'names' });
}

function orderOf(params: Params): LandingOrder {
  const maxRuns = countOf(params, 'maxRuns');
  if (maxRuns < 1) throw new RoboSmithError('usage', '"maxRuns" must be 1 or more.', { parameter: 'maxRuns' });
  return { names: namesOf(params), all: flagOf(params, 'all'), maxRuns, environment: environmentOf(params) };
}

/** Returns the methods that land branches. `mayBegin` throws once nothing may be started any more. */
export function landingMethods(
  open: () => Promise<Sessions>,
  mayBegin: () => void,
  { offer }: Pick<Engine['environments'], 'offer'>,
): Methods<'land.plan' | 'land.start' | 'land.stop' | 'land.undo'> {
  const streams = createStreams();
  /** Opens the sessions, whose tests then get the environment of the client. */
  const opened = async ({ environment }: LandingOrder): Promise<Sessions> => {
    const sessions = await open();
    mayBegin();
    if (environment !== null) for (const { id } of sessions.manager.list()) offer(id, environment);
    return sessions;
  };
  return {
    'land.plan': async (given) => {
      const order = orderOf(paramsOf(given));
      return (await opened(order)).landing.plan(order);
    },
    'land.start': async (given, caller) => {
      const params = paramsOf(given);
      const order = orderOf(params);
      const stream = countOf(params, 'stream');
      const { landing } = await opened(order);
      return streams.during(caller, stream, (signal) =>
        landing.start(order, signal, (news) => {
          caller.notify('land.news', { stream, news }).catch(() => undefined);
        }),
      );
    },
    'land.stop': (given, caller) => ({ stopped: streams.stop(caller, countOf(paramsOf(given), 'stream')) }),
    'land.undo': async () => {
      const { landing } = await open();
      mayBegin();
      return landing.undo();
    },
  };
}
