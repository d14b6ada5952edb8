import {
  type ActorLogic,
  type ActorSystem,
  type AnyActorLogic,
  type AnyActorRef,
  createActor,
  type EventObject,
  type Snapshot,
} from 'xstate';
import type { NodeId } from '#protocol/id.ts';
import { openChildFrame } from './frame.ts';
import type { Frame } from './state.ts';
import type { FrameOutput } from './implementations.ts';

export interface JoinInput {
  readonly frame: Frame;
  readonly nodes: readonly NodeId[];
}

type JoinSnapshot = Snapshot<FrameOutput | null> & {
  readonly input: JoinInput;
  readonly children: Map<string, AnyActorRef>;
  readonly waiting: number;
};

type BranchDone = EventObject & { readonly actorId: string; readonly output: FrameOutput };

const isBranchDone = (event: EventObject): event is BranchDone => event.type.startsWith('xstate.done.actor.');

const done = (snapshot: JoinSnapshot, output: FrameOutput): JoinSnapshot =>
  ({ ...snapshot, status: 'done', output }) as JoinSnapshot;

/**
 * Makes the actor that runs the branches of a FORK: it invokes a frame for each and counts those that have returned.
 * An XState parallel state computes the same at a cost that is quadratic in the number of branches.
 */
export const joinLogic = (
  frameLogic: () => AnyActorLogic,
): ActorLogic<JoinSnapshot, EventObject, JoinInput, ActorSystem<never>> => ({
  getInitialSnapshot: (_scope, input) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    input,
    children: new Map(),
    waiting: input.nodes.length,
  }),
  start: ({ input, children }, { self }) => {
    const { visit } = input.frame;
    if (visit === null) return;
    for (const [branch, node] of input.nodes.entries()) {
      const id = String(branch);
      const frame = openChildFrame(input.frame, visit, node, branch);
      children.set(id, createActor(frameLogic(), { id, input: { frame }, parent: self as AnyActorRef }));
    }
    for (const child of children.values()) child.start();
  },
  transition: (snapshot, event, scope) => {
    const stopAll = () => {
      for (const child of snapshot.children.values()) scope.stopChild(child);
      snapshot.children.clear();
    };
    if (event.type === 'xstate.stop') {
      stopAll();
      return { ...snapshot, status: 'stopped' } as JoinSnapshot;
    }
    if (!isBranchDone(event)) return snapshot;
    snapshot.children.delete(event.actorId);
    if (event.output.kind === 'failed') {
      stopAll();
      return done(snapshot, event.output);
    }
    snapshot.input.frame.branches[Number(event.actorId)] = event.output.frame;
    const waiting = snapshot.waiting - 1;
    return waiting === 0 ? done(snapshot, { kind: 'returned', frame: event.output.frame }) : { ...snapshot, waiting };
  },
  getPersistedSnapshot: (snapshot) => snapshot,
});
