import { type AnyActorRef, assign, fromCallback, sendTo, setup } from 'xstate';
import type { ContextServerConnection, ContextServerState } from '#protocol/code-analysis.ts';

/** The limits of one server, in milliseconds unless named otherwise. */
export interface ServerLimits {
  /** The time from the start of the process to the end of the handshake. */
  readonly start: number;
  /** The time that a server has to end by itself before it is killed. */
  readonly stop: number;
  /** The time after its last call at which a server without a session stops. */
  readonly idle: number;
  /** The uptime after which the crash count is reset. */
  readonly steady: number;
  /** The pauses before the first, second and later restarts. After one more crash, the server stays down. */
  readonly backOff: readonly number[];
  /** The time after which a server that stayed down may be started again. */
  readonly coolOff: number;
}

export const SERVER_LIMITS: ServerLimits = {
  start: 20_000,
  stop: 3_000,
  idle: 60_000,
  steady: 60_000,
  backOff: [500, 2_000, 8_000],
  coolOff: 300_000,
};

/** Events of a server: requests for it, and events of its process. */
export type ServerEvent =
  /** A session that runs in the worktree needs the server. */
  | { readonly type: 'session.began' }
  | { readonly type: 'session.ended' }
  | { readonly type: 'call.began' }
  | { readonly type: 'call.ended' }
  /** The project was closed: the server is no longer needed. */
  | { readonly type: 'server.close' }
  /** A call exceeded its deadline, and the server does not answer a ping. */
  | { readonly type: 'server.hung' }
  | { readonly type: 'process.connected'; readonly connection: ContextServerConnection }
  | { readonly type: 'process.indexed' }
  | { readonly type: 'process.exited'; readonly why: string };

interface ServerInput {
  readonly worktree: string;
  readonly limits: ServerLimits;
  /** Receives `server.rested` when the server has stopped, or stays down after too many crashes. */
  readonly parent: AnyActorRef | null;
}

interface ServerContext extends ServerInput {
  readonly sessions: number;
  readonly calls: number;
  readonly isClosed: boolean;
  /** The number of crashes since the count was last reset. */
  readonly crashes: number;
  /** The reason of the last crash, for people; null if there was none. */
  readonly why: string | null;
  /** Null while the server can't be called. */
  readonly connection: ContextServerConnection | null;
}

/** A request to the process of a server. */
interface ProcessRequest {
  readonly type: 'process.end';
}

export const isWanted = ({ sessions, calls, isClosed }: ServerContext): boolean => !isClosed && sessions + calls > 0;

const server = setup({
  types: {
    context: {} as ServerContext,
    events: {} as ServerEvent,
    input: {} as ServerInput,
    children: {} as { process: 'process' },
  },
  actors: {
    process: fromCallback<ProcessRequest, { readonly worktree: string }>(() => undefined),
  },
  delays: {
    startLimit: ({ context }) => context.limits.start,
    stopLimit: ({ context }) => context.limits.stop,
    idleLimit: ({ context }) => context.limits.idle,
    steadyLimit: ({ context }) => context.limits.steady,
    coolOff: ({ context }) => context.limits.coolOff,
    backOff: ({ context: { limits, crashes } }) => limits.backOff[crashes - 1] ?? limits.coolOff,
  },
  guards: {
    isWanted: ({ context }) => isWanted(context),
    isUnwanted: ({ context }) => !isWanted(context),
    /** True if the session that ends is the last one of the worktree and no call is in progress. */
    isLeft: ({ context }) => context.sessions <= 1 && context.calls === 0,
    mayRestart: ({ context }) => isWanted(context) && context.crashes < context.limits.backOff.length,
    isCalm: ({ context }) => !isWanted(context) && context.crashes < context.limits.backOff.length,
  },
  actions: {
    beginSession: assign({ sessions: ({ context }) => context.sessions + 1 }),
    endSession: assign({ sessions: ({ context }) => Math.max(0, context.sessions - 1) }),
    beginCall: assign({ calls: ({ context }) => context.calls + 1 }),
    endCall: assign({ calls: ({ context }) => Math.max(0, context.calls - 1) }),
    close: assign({ isClosed: true }),
    connect: assign({
      connection: ({ event }) => (event.type === 'process.connected' ? event.connection : null),
    }),
    disconnect: assign({ connection: null }),
    countCrash: assign({
      crashes: ({ context }) => context.crashes + 1,
      why: ({ context, event }) => (event.type === 'process.exited' ? event.why : context.why),
    }),
    tooSlow: assign({ why: 'the server did not answer in time after its start' }),
    hung: assign({ why: 'the server stopped answering and was killed' }),
    forgetCrashes: assign({ crashes: 0 }),
    askToEnd: sendTo('process', { type: 'process.end' }),
    reportRest: ({ context: { parent, worktree } }) => parent?.send({ type: 'server.rested', worktree }),
  },
});

const CRASH = [
  { guard: 'mayRestart', target: '#server.restarting', actions: 'countCrash' },
  { guard: 'isCalm', target: '#server.stopped', actions: 'countCrash' },
  { target: '#server.crashed', actions: 'countCrash' },
] as const;

const END_SESSION = [
  { guard: 'isLeft', target: 'stopping', actions: 'endSession' },
  { actions: 'endSession' },
] as const;

/**
 * The statechart of one server. The state `alive` invokes the process, which is killed whenever that state is left. A
 * server that crashes restarts after a growing pause; after too many crashes it stays down for a while.
 */
export const serverMachine = server.createMachine({
  id: 'server',
  context: ({ input }) => ({
    ...input,
    sessions: 0,
    calls: 0,
    isClosed: false,
    crashes: 0,
    why: null,
    connection: null,
  }),
  initial: 'stopped',
  on: {
    'session.began': { actions: 'beginSession' },
    'session.ended': { actions: 'endSession' },
    'call.began': { actions: 'beginCall' },
    'call.ended': { actions: 'endCall' },
    'server.close': { actions: 'close' },
  },
  states: {
    stopped: {
      entry: 'reportRest',
      on: { 'server.close': { actions: ['close', 'reportRest'] } },
      always: { guard: 'isWanted', target: 'alive' },
    },
    alive: {
      initial: 'starting',
      exit: 'disconnect',
      invoke: { id: 'process', src: 'process', input: ({ context }) => ({ worktree: context.worktree }) },
      after: { steadyLimit: { actions: 'forgetCrashes' } },
      on: {
        'process.exited': CRASH,
        'server.hung': CRASH.map((row) => ({ ...row, actions: ['hung', 'countCrash'] as const })),
        'server.close': { target: '.stopping', actions: 'close' },
      },
      states: {
        starting: {
          after: { startLimit: CRASH.map((row) => ({ ...row, actions: ['tooSlow', 'countCrash'] as const })) },
          on: {
            'process.connected': { target: 'indexing', actions: 'connect' },
            'session.ended': END_SESSION,
          },
        },
        indexing: {
          on: {
            'process.indexed': { target: 'ready' },
            'session.ended': END_SESSION,
          },
        },
        ready: {
          after: { idleLimit: { guard: 'isUnwanted', target: 'stopping' } },
          on: {
            'call.ended': { target: 'ready', reenter: true, actions: 'endCall' },
            'session.ended': END_SESSION,
          },
        },
        stopping: {
          entry: ['disconnect', 'askToEnd'],
          after: { stopLimit: { target: '#server.stopped' } },
          on: {
            'process.exited': { target: '#server.stopped' },
            'server.hung': {},
            'server.close': { actions: 'close' },
          },
        },
      },
    },
    restarting: {
      after: { backOff: { target: 'alive' } },
      always: { guard: 'isUnwanted', target: 'stopped' },
    },
    crashed: {
      entry: 'reportRest',
      after: { coolOff: { target: 'stopped', actions: 'forgetCrashes' } },
      on: {
        'session.began': { target: 'stopped', actions: ['beginSession', 'forgetCrashes'] },
        'server.close': { target: 'stopped', actions: 'close' },
      },
    },
  },
});

/** Returns the name of the server's state, as users and tests see it. */
export function serverState(value: unknown): ContextServerState {
  if (typeof value === 'object' && value !== null && 'alive' in value) return value.alive as ContextServerState;
  return value as ContextServerState;
}
