import { type ActorRefFrom, assign, enqueueActions, raise, setup } from 'xstate';
import { isWanted, type ServerEvent, type ServerLimits, serverMachine } from './server.machine.ts';

export type ServerRef = ActorRefFrom<typeof serverMachine>;

export type ServersEvent =
  /** Something is wanted of the server of a worktree. It is made if there is none. */
  | { readonly type: 'worktree.told'; readonly worktree: string; readonly event: ServerEvent }
  | { readonly type: 'server.rested'; readonly worktree: string }
  /** The server that rested has finished its transition: its state can be read. */
  | { readonly type: 'server.settled'; readonly worktree: string }
  | { readonly type: 'servers.close' };

export interface ServersContext {
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
    /** Only a beginning makes a server: an end that comes late is for one that is gone. */
    isNew: ({ context, event }) =>
      event.type === 'worktree.told' && BEGINS.has(event.event.type) && !context.servers.has(event.worktree),
  },
  actions: {
    add: assign({
      servers: ({ context, event, spawn, self }) => {
        if (event.type !== 'worktree.told') return context.servers;
        const { worktree } = event;
        const input = { worktree, limits: context.limits, parent: self };
        return new Map([...context.servers, [worktree, spawn('server', { id: worktree, input })]]);
      },
    }),
    tell: ({ context, event }) => {
      if (event.type === 'worktree.told') context.servers.get(event.worktree)?.send(event.event);
    },
    checkSettled: raise(
      ({ event }) =>
        ({ type: 'server.settled', worktree: event.type === 'server.rested' ? event.worktree : '' }) as const,
      { delay: 0 },
    ),
    /** Removes a server that has stopped, or that stays down and is no longer needed. */
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

/** The chart of the manager: one child for each worktree whose server is wanted or ends. */
export const serversMachine = servers.createMachine({
  id: 'servers',
  context: ({ input }) => ({ ...input, servers: new Map() }),
  initial: 'open',
  states: {
    open: {
      on: {
        'worktree.told': [{ guard: 'isNew', actions: ['add', 'tell'] }, { actions: 'tell' }],
        ...REST,
        'servers.close': { target: 'closing' },
      },
    },
    closing: {
      entry: 'closeAll',
      always: { guard: 'isEmpty', target: 'closed' },
      on: {
        'worktree.told': { actions: 'tell' },
        ...REST,
      },
    },
    closed: { type: 'final' },
  },
});
