import { type BeginParts, stoppingError } from './begin-runs.ts';
import { cleaningMethods } from './cleaning-methods.ts';
import type { EventFeed } from './feeds/event-feed.ts';
import { eventMethods } from './event-methods.ts';
import type { HostedSessions } from './hosted-sessions.ts';
import { inspectMethods } from './inspect-methods.ts';
import { callerOf, type MethodTable, methodTable, type Methods } from './methods/methods.ts';
import { landingMethods } from './landing-methods.ts';
import { modelMethods } from './model-methods.ts';
import { keyMethods, type offeredKeys } from './offered-keys.ts';
import type { runMethods } from './run-methods.ts';
import type { PromptFeed } from './prompt-methods.ts';
import { sessionFeedMethods } from './session-feed-methods.ts';
import { sessionFileMethods } from './session-file-methods.ts';
import { sessionMethods } from './session-methods.ts';
import type { taskMethods } from './task-methods.ts';
import { checkTrust, trustMethods } from './trust-methods.ts';
import { userKeyMethods } from './user-key-methods.ts';
import type { Streams } from './views/streams.ts';
import type { ViewLayouts } from './views/lay-out.ts';
import { createViewHub } from './views/view-hub.ts';
import { viewMethods } from './views/view-methods.ts';

interface HostMethodsParts {
  readonly beginning: BeginParts;
  readonly own: Methods<'status' | 'host.stop'>;
  readonly runs: ReturnType<typeof runMethods>['methods'];
  readonly events: EventFeed;
  readonly sessions: Pick<HostedSessions, 'open' | 'feed'>;
  readonly offered: Pick<ReturnType<typeof offeredKeys>, 'take' | 'ofClients'>;
  readonly layouts: Pick<ViewLayouts, 'layOut'>;
  readonly streams: Streams;
  readonly prompts: Pick<PromptFeed, 'methods'>;
  readonly tasks: ReturnType<typeof taskMethods>['methods'];
}

/** Returns all methods that clients can call. */
export function hostMethods({
  beginning,
  own,
  runs,
  events,
  sessions,
  offered,
  layouts,
  streams,
  prompts,
  tasks,
}: HostMethodsParts): MethodTable {
  const { root, engine, hosted, environment, log, isStopping } = beginning;
  const mayBegin = (): void => {
    if (isStopping()) throw stoppingError();
  };
  const trustParts = { root, environment };
  const hub = createViewHub({
    root,
    feed: events,
    hosted,
    log,
    now: () => Date.now(),
    layOut: layouts.layOut,
    streams,
    checkTrust: () => checkTrust(trustParts),
    call: callerOf(() => methods),
  });
  const methods: MethodTable = methodTable(
    own,
    runs,
    tasks,
    sessionMethods(sessions.open, mayBegin, engine.environments),
    landingMethods(sessions.open, mayBegin, engine.environments),
    cleaningMethods({ root, engine, sessions: sessions.open, mayBegin, now: () => Date.now() }),
    eventMethods({ root, hosted, feed: events }),
    prompts.methods,
    sessionFeedMethods(sessions.feed),
    keyMethods(offered.take, {
      changed: () => engine.keysChanged(),
      noteTest: engine.noteKeyTest,
    }),
    userKeyMethods({
      root,
      places: offered.ofClients,
      changed: engine.keysChanged,
      noteTest: engine.noteKeyTest,
    }),
    sessionFileMethods(root),
    modelMethods({ root, call: engine.call, checkTrust: () => checkTrust(trustParts), mayBegin }),
    trustMethods(trustParts),
    viewMethods(hub),
    inspectMethods(engine.inspect),
  );
  return methods;
}
