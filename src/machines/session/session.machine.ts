import { assign, setup } from 'xstate';
import type { SessionState } from '#protocol/session.ts';

/** Events of a session: requests are imperative, facts are in the past tense. */
export type SessionEvent =
  /** `asked` is the person's request if it was not a submission. */
  | { readonly type: 'session.submit'; readonly asked?: 'resume' }
  | { readonly type: 'session.withdraw'; readonly hasBranch: boolean }
  | { readonly type: 'session.start' }
  | { readonly type: 'session.created'; readonly hasJob: boolean }
  | { readonly type: 'session.creation_failed' }
  | { readonly type: 'session.creation_cut_off' }
  /** A person removed the session from the queue while it was being created. */
  | { readonly type: 'session.creation_stopped'; readonly hasBranch: boolean }
  | { readonly type: 'session.dependency_lost' }
  /** The session's worktree and branch no longer exist. */
  | { readonly type: 'session.lost' }
  /** The client that forked the run continues it. */
  | { readonly type: 'session.forked' }
  | { readonly type: 'run.began' }
  | { readonly type: 'run.halted' }
  | { readonly type: 'run.completed' }
  | { readonly type: 'run.failed' }
  | { readonly type: 'session.merge'; readonly hasBranch: boolean }
  | { readonly type: 'session.merged' }
  | { readonly type: 'session.merge_refused' }
  /** An update from the base, or a push. Changes in the worktree are committed first. */
  | { readonly type: 'session.update'; readonly hasBranch: boolean; readonly asked?: 'push' }
  | { readonly type: 'session.update_ended' }
  | { readonly type: 'session.hold'; readonly hasBranch: boolean }
  | { readonly type: 'session.held' }
  | { readonly type: 'session.hold_refused' }
  | { readonly type: 'session.discard' }
  | { readonly type: 'session.discarded' }
  | { readonly type: 'session.discard_refused' }
  | { readonly type: 'session.restore' };

interface SessionContext {
  /** The state before the current request. */
  readonly before: SessionState;
}

const session = setup({
  types: { context: {} as SessionContext, events: {} as SessionEvent, input: {} as SessionContext },
  guards: {
    hasJob: ({ event }) => event.type === 'session.created' && event.hasJob,
    hasBranch: ({ event }) => 'hasBranch' in event && event.hasBranch,
    wasDraft: ({ context }) => context.before === 'draft',
    wasQueued: ({ context }) => context.before === 'queued',
    wasHalted: ({ context }) => context.before === 'halted',
    wasHeld: ({ context }) => context.before === 'held',
    wasFailed: ({ context }) => context.before === 'failed',
  },
  actions: {
    fromDraft: assign({ before: 'draft' }),
    fromQueued: assign({ before: 'queued' }),
    fromHalted: assign({ before: 'halted' }),
    fromReady: assign({ before: 'ready' }),
    fromHeld: assign({ before: 'held' }),
    fromFailed: assign({ before: 'failed' }),
  },
});

const BACK = [
  { guard: 'wasDraft', target: 'draft' },
  { guard: 'wasQueued', target: 'queued' },
  { guard: 'wasHalted', target: 'halted' },
  { guard: 'wasHeld', target: 'held' },
  { guard: 'wasFailed', target: 'failed' },
  { target: 'ready' },
] as const;

/**
 * The session's chart. A request without a transition is refused with the state's name. The session manager runs the
 * effects and reports their end as an event.
 */
export const sessionMachine = session.createMachine({
  id: 'session',
  context: ({ input }) => input,
  initial: 'draft',
  states: {
    draft: {
      on: {
        'session.submit': { target: 'queued' },
        'session.discard': { target: 'discarding', actions: 'fromDraft' },
      },
    },
    queued: {
      on: {
        'session.start': { target: 'creating' },
        'session.withdraw': [{ guard: 'hasBranch', target: 'halted' }, { target: 'draft' }],
        'session.dependency_lost': { target: 'halted' },
        'session.discard': { target: 'discarding', actions: 'fromQueued' },
      },
    },
    creating: {
      on: {
        'session.created': [{ guard: 'hasJob', target: 'running' }, { target: 'ready' }],
        'session.creation_failed': { target: 'failed' },
        'session.creation_cut_off': { target: 'queued' },
        'session.creation_stopped': [{ guard: 'hasBranch', target: 'halted' }, { target: 'draft' }],
      },
    },
    running: {
      on: {
        'session.forked': { target: 'halted' },
        'run.halted': { target: 'halted' },
        'run.completed': { target: 'ready' },
        'run.failed': { target: 'failed' },
        'session.lost': { target: 'failed' },
      },
    },
    halted: {
      on: {
        'run.began': { target: 'running' },
        'run.completed': { target: 'ready' },
        'run.failed': { target: 'failed' },
        'session.submit': { target: 'queued' },
        'session.lost': { target: 'failed' },
        'session.merge': { guard: 'hasBranch', target: 'merging', actions: 'fromHalted' },
        'session.update': { guard: 'hasBranch', target: 'updating', actions: 'fromHalted' },
        'session.hold': { guard: 'hasBranch', target: 'holding', actions: 'fromHalted' },
        'session.discard': { target: 'discarding', actions: 'fromHalted' },
      },
    },
    ready: {
      on: {
        'run.began': { target: 'running' },
        'session.submit': { target: 'queued' },
        'session.lost': { target: 'failed' },
        'session.merge': { target: 'merging', actions: 'fromReady' },
        'session.update': { target: 'updating', actions: 'fromReady' },
        'session.hold': { target: 'holding', actions: 'fromReady' },
        'session.discard': { target: 'discarding', actions: 'fromReady' },
      },
    },
    merging: {
      on: {
        'session.merged': { target: 'merged' },
        'session.merge_refused': BACK,
      },
    },
    merged: {},
    updating: {
      on: {
        'session.update_ended': BACK,
      },
    },
    holding: {
      on: {
        'session.held': { target: 'held' },
        'session.hold_refused': BACK,
      },
    },
    held: {
      on: {
        'session.submit': { target: 'queued' },
        'session.lost': { target: 'failed' },
        'session.update': { guard: 'hasBranch', target: 'updating', actions: 'fromHeld' },
        'session.hold': { target: 'holding', actions: 'fromHeld' },
        'session.discard': { target: 'discarding', actions: 'fromHeld' },
      },
    },
    discarding: {
      on: {
        'session.discarded': { target: 'discarded' },
        'session.discard_refused': BACK,
      },
    },
    discarded: {
      on: { 'session.restore': { target: 'held' } },
    },
    failed: {
      on: {
        'run.began': { target: 'running' },
        'session.submit': { target: 'queued' },
        'session.merge': { guard: 'hasBranch', target: 'merging', actions: 'fromFailed' },
        'session.update': { guard: 'hasBranch', target: 'updating', actions: 'fromFailed' },
        'session.hold': { guard: 'hasBranch', target: 'holding', actions: 'fromFailed' },
        'session.discard': { target: 'discarding', actions: 'fromFailed' },
      },
    },
  },
});
