import { type AnyActorRef, createActor, fromCallback, type SnapshotFrom } from 'xstate';
import {
  SERVER_LIMITS,
  type ServerEvent,
  type ServerLimits,
  serverMachine,
  serverState,
} from '#machines/code-analysis/server.machine.ts';
import { type ServerRef, serversMachine } from '#machines/code-analysis/servers.machine.ts';
import type {
  ContextQuery,
  ContextServerConnection,
  ContextServerProcess,
  ContextServerState,
  ToolAnswer,
} from '#protocol/code-analysis.ts';
import { messageOf } from '#protocol/message-of.ts';

/** A started process that also reports when its first index is built. */
type ServerProcess = ContextServerProcess & { readonly indexed: Promise<void> };

interface ServerManagerParts {
  /** Starts the server of a worktree, given by its absolute path, or returns why there is none. */
  readonly start: (worktree: string) => Promise<ServerProcess | { readonly missing: string }>;
  /**
   * Called with a promise that resolves when a killed process has ended. This may be after the server's actor has
   * stopped.
   */
  readonly onKill?: (killed: Promise<void>) => void;
  /** Shows the actor of the manager, and all that it starts, to inspectors. */
  readonly observe?: (actor: AnyActorRef) => void;
  readonly limits?: ServerLimits;
  /** The clock of the state machines; tests replace it. */
  readonly clock?: NonNullable<Parameters<typeof createActor>[1]>['clock'];
}

export interface RMcpServerManager {
  /** Keeps the server of a worktree running for a session that works there. The returned function releases it. */
  hold(worktree: string): () => void;
  /**
   * Calls a tool of the worktree's server, and starts the server if necessary. Answers `no_active_server` with the
   * reason if there is no server. Rejects only with the signal's reason.
   */
  call(worktree: string, query: ContextQuery, signal: AbortSignal): Promise<ToolAnswer>;
  /** Returns the states of the servers that the manager holds, by worktree. */
  states(): ReadonlyMap<string, ContextServerState>;
  /** Ends all servers and resolves once they have ended. No server starts afterwards. Idempotent. */
  close(): Promise<void>;
}

type Snapshot = SnapshotFrom<typeof serverMachine>;

const noServer = (why: string): ToolAnswer => ({
  ok: false,
  code: 'no_active_server',
  message: `no code analysis server runs for this worktree: ${why}`,
});

type Connection = ContextServerConnection | { readonly none: string };

/**
 * Returns the server's connection if it is not the one that has `ended`, or the reason why there will be no connection
 * soon; null if neither is known yet.
 */
function connectionIn({ value, context, status }: Snapshot, ended: ContextServerConnection | null): Connection | null {
  if (context.connection !== null && context.connection !== ended) return context.connection;
  if (status !== 'active' || context.isClosed) return { none: 'the engine is shutting down' };
  if (value === 'crashed') return { none: context.why ?? 'the server crashed' };
  return null;
}

/**
 * Resolves to the connection once the server is ready, or to the reason if it will not be ready. Rejects with the
 * signal's reason.
 */
function connectionOf(
  server: ServerRef,
  signal: AbortSignal,
  ended: ContextServerConnection | null,
): Promise<Connection> {
  signal.throwIfAborted();
  const now = connectionIn(server.getSnapshot(), ended);
  if (now !== null) return Promise.resolve(now);
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const watching = server.subscribe({
    next: (snapshot) => {
      const found = connectionIn(snapshot, ended);
      if (found !== null) resolve(found);
    },
    complete: () => resolve({ none: 'the server was stopped' }),
  });
  return promise.finally(() => {
    watching.unsubscribe();
    signal.removeEventListener('abort', onAbort);
  });
}

/** The actor logic that runs the process of one server. When the actor stops, it kills the process. */
const processLogic = ({ start, onKill = () => undefined }: ServerManagerParts) =>
  fromCallback<{ readonly type: 'process.end' }, { readonly worktree: string }>(({ sendBack, receive, input }) => {
    let isOver = false;
    let isEnding = false;
    let running: ServerProcess | null = null;
    const notify = (event: ServerEvent): void => {
      if (!isOver) sendBack(event);
    };
    const exited = (why: string): void => notify({ type: 'process.exited', why });
    const begin = async (): Promise<void> => {
      const started = await start(input.worktree);
      if ('missing' in started) return exited(started.missing);
      running = started;
      if (isOver) return onKill(started.kill());
      if (isEnding) started.end();
      void started.exited.then(exited);
      notify({ type: 'process.connected', connection: await started.connected });
      await started.indexed;
      notify({ type: 'process.indexed' });
    };
    begin().catch((thrown: unknown) => exited(messageOf(thrown)));
    receive(() => {
      isEnding = true;
      running?.end();
    });
    return () => {
      isOver = true;
      if (running !== null) onKill(running.kill());
    };
  });

/**
 * Creates the long-lived actor that owns the analysis servers of a project: one child for each active worktree. A
 * server lives while a session works in its worktree or somebody calls it, restarts after a crash, and never outlives
 * the manager.
 */
export function createRMcpServerManager(parts: ServerManagerParts): RMcpServerManager {
  const { limits = SERVER_LIMITS, clock } = parts;
  const kills = new Set<Promise<unknown>>();
  const process = processLogic({
    ...parts,
    onKill: (killed) => {
      const settled = killed.catch(() => undefined).finally(() => kills.delete(settled));
      kills.add(settled);
      parts.onKill?.(killed);
    },
  });
  const machine = serversMachine.provide({ actors: { server: serverMachine.provide({ actors: { process } }) } });
  const actor = createActor(machine, { input: { limits }, ...(clock === undefined ? {} : { clock }) });
  parts.observe?.(actor);
  actor.start();
  const sendToServer = (
    worktree: string,
    type: 'session.began' | 'session.ended' | 'call.began' | 'call.ended',
  ): void => actor.send({ type: 'worktree.event', worktree, event: { type } });
  const serverOf = (worktree: string): ServerRef | null => actor.getSnapshot().context.servers.get(worktree) ?? null;

  /** A server that is too slow for a call may still be healthy, so it is killed only if it does not answer a ping. */
  const checkHung = async (server: ServerRef, connection: ContextServerConnection): Promise<void> => {
    if (await connection.isAlive()) return;
    if (server.getSnapshot().context.connection === connection) server.send({ type: 'server.hung' });
  };

  /**
   * If the server ends during the call, the call is repeated once after the restart. This is safe, because tools only
   * read.
   */
  const callServer = async (
    server: ServerRef,
    query: ContextQuery,
    signal: AbortSignal,
    ended: ContextServerConnection | null = null,
  ): Promise<ToolAnswer> => {
    const connection = await connectionOf(server, signal, ended);
    if ('none' in connection) return noServer(connection.none);
    const answer = await connection.call(query, signal);
    if (answer.ok) return answer;
    if (answer.code === 'timed_out') await checkHung(server, connection);
    return answer.code === 'server_ended' && ended === null ? callServer(server, query, signal, connection) : answer;
  };

  return {
    hold: (worktree) => {
      let isHeld = true;
      sendToServer(worktree, 'session.began');
      return () => {
        if (isHeld) sendToServer(worktree, 'session.ended');
        isHeld = false;
      };
    },
    call: async (worktree, query, signal) => {
      signal.throwIfAborted();
      sendToServer(worktree, 'call.began');
      try {
        const server = serverOf(worktree);
        return server === null ? noServer('the engine is shutting down') : await callServer(server, query, signal);
      } finally {
        sendToServer(worktree, 'call.ended');
      }
    },
    states: () =>
      new Map(
        [...actor.getSnapshot().context.servers].map(([worktree, server]) => [
          worktree,
          serverState(server.getSnapshot().value),
        ]),
      ),
    close: async () => {
      const closed = Promise.withResolvers<undefined>();
      actor.subscribe({ complete: () => closed.resolve(undefined) });
      actor.send({ type: 'servers.close' });
      if (actor.getSnapshot().status === 'done') closed.resolve(undefined);
      await closed.promise;
      while (kills.size > 0) await Promise.all(kills);
    },
  };
}
