import { type ActorRefFrom, assign, enqueueActions, raise, setup } from 'xstate';
import { isWanted, type ServerEvent, type ServerLimits, serverMachine } from './server.machine.ts';

export type ServerRef = ActorRefFrom<typeof serverMachine>;

type ServersEvent =
  /** An event for the server of a worktree. If there is no server, the start of a session or call creates one. */
  | { readonly type: 'worktree.event'; readonly worktree: string; readonly event: ServerEvent }
  | { readonly type: 'server.rested'; readonly worktree: string }
  /** The server that reported `server.rested` has finished its transition, so its state can be read. */
  | { readonly type: 'server.settled'; readonly worktree: string }
  | { readonly type: 'servers.close' };

interface ServersContext {
  readonly limits: ServerLimits;
  /** The servers by the absolute path of their worktree. */
  readonly servers: ReadonlyMap<string, ServerRef>;
}

const BEGINS: ReadonlySet<ServerEvent['type']> = new Set(['session.began', 'call.began']);

const servers = setup({
  types: {
    context: {} as ServersContext,
    events: {} as ServersEvent,
    input: {} as Pick<ServersContext, 'limits'>,
  },
  actors: { server: serverMachine },
  guards: {
    isEmpty: ({ context }) => context.servers.size === 0,
    /**
     * Only the start of a session or call creates a server: a late end event belongs to a server that was already
     * removed.
     */
    isNew: ({ context, event }) =>
      event.type === 'worktree.event' && BEGINS.has(event.event.type) && !context.servers.has(event.worktree),
  },
  actions: {
    add: assign({
      servers: ({ context, event, spawn, self }) => {
        if (event.type !== 'worktree.event') return context.servers;
        const { worktree } = event;
        const input = { worktree, limits: context.limits, parent: self };
        return new Map([...context.servers, [worktree, spawn('server', { id: worktree, input })]]);
      },
    }),
    forwardEvent: ({ context, event }) => {
      if (event.type === 'worktree.event') context.servers.get(event.worktree)?.send(event.event);
    },
    checkSettled: raise(
      ({ event }) =>
        ({ type: 'server.settled', worktree: event.type === 'server.rested' ? event.worktree : '' }) as const,
      { delay: 0 },
    ),
    /** Removes a server that has stopped and that no session or call needs. */
    remove: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'server.settled') return;
      const server = context.servers.get(event.worktree);
      const snapshot = server?.getSnapshot();
      if (server === undefined || snapshot === undefined) return;
      if (snapshot.value !== 'stopped' || isWanted(snapshot.context)) return;
      enqueue.stopChild(server);
      enqueue.assign({ servers: new Map([...context.servers].filter(([worktree]) => worktree !== event.worktree)) });
    }),
    closeAll: ({ context }) => {
      for (const server of context.servers.values()) server.send({ type: 'server.close' });
    },
  },
});

const REST = {
  'server.rested': { actions: 'checkSettled' },
  'server.settled': { actions: 'remove' },
} as const;

/** The statechart of the server manager: one child actor for each worktree whose server is needed or still stopping. */
export const serversMachine = servers.createMachine({
  id: 'servers',
  context: ({ input }) => ({ ...input, servers: new Map() }),
  initial: 'open',
  states: {
    open: {
      on: {
        'worktree.event': [{ guard: 'isNew', actions: ['add', 'forwardEvent'] }, { actions: 'forwardEvent' }],
        ...REST,
        'servers.close': { target: 'closing' },
      },
    },
    closing: {
      entry: 'closeAll',
      always: { guard: 'isEmpty', target: 'closed' },
      on: {
        'worktree.event': { actions: 'forwardEvent' },
        ...REST,
      },
    },
    closed: { type: 'final' },
  },
});
