import { raise } from 'xstate';
import type { NodeId } from '#protocol/id.ts';
import { ENDS_RUN } from '#protocol/response.ts';
import { becomeNode } from './frame.ts';
import type { Frame } from './state.ts';
import { joinBranches, takeReturn } from './join-child.ts';
import { keepFailed } from './keep-returned.ts';
import { cancelChildren, leaveFrame } from './leave-frame.ts';

/** The context of every machine: the frame that it belongs to. */
export interface FrameContext {
  readonly frame: Frame;
}

/** How a frame, or the body of one, ends. `jumped` never leaves the frame machine. */
export interface FrameOutput {
  readonly kind: 'returned' | 'failed' | 'jumped';
  readonly frame: Frame;
}

export const outputOf = (frame: Frame): FrameOutput => ({
  kind: frame.failure !== null ? 'failed' : frame.leaving ? 'jumped' : 'returned',
  frame,
});

interface ChartEvent {
  readonly type: string;
  readonly row?: number;
  readonly output?: FrameOutput;
}

interface At {
  readonly context: FrameContext;
  readonly event: ChartEvent;
}

const childOf = ({ event }: At): FrameOutput | null => event.output ?? null;

/** Guards by the names that charts use. */
export const GUARDS = {
  /** True for the row of the block's table that the lookup chose. */
  row: ({ event }: At, params: { readonly row: number }): boolean => event.row === params.row,
  childFailed: (at: At): boolean => childOf(at)?.kind === 'failed',
  childEndsRun: (at: At): boolean => {
    const failure = childOf(at)?.frame.failure ?? null;
    return failure !== null && ENDS_RUN.has(failure.reason);
  },
  bodyJumped: (at: At): boolean => childOf(at)?.kind === 'jumped',
  landsInThisNode: ({ context: { frame } }: At): boolean => frame.run.index.block(frame.landing).node === frame.node.id,
};

/** Actions by the names that charts use. Each works on the frame of its machine. */
export const ACTIONS = {
  enterLanding: raise<FrameContext, ChartEvent, ChartEvent, undefined>(({ context }) => ({
    type: `@enter:${context.frame.landing}`,
  })),
  becomeNode: ({ context: { frame } }: At): void => {
    if (frame.leaving) becomeNode(frame);
  },
  dispatch: raise<FrameContext, ChartEvent, ChartEvent, undefined>(({ context: { frame } }) => ({
    type: `@node:${frame.run.index.block(frame.landing).node}`,
  })),
  leaveNode: ({ context: { frame } }: At): void => {
    leaveFrame(frame, frame.failure !== null ? 'failure' : frame.leaving ? 'jump' : 'return');
  },
  becomeOtherNode: ({ context: { frame } }: At): void => {
    frame.leaving = true;
  },
  landAt: ({ context: { frame } }: At, params: { readonly block: Frame['landing'] }): void => {
    frame.landing = params.block;
  },
  visit: ({ context: { frame } }: At, params: { readonly block: Frame['landing'] }): void => {
    frame.visitBlock(params.block);
  },
  visitAgain: ({ context: { frame } }: At): void => {
    frame.again = true;
  },
  openChild: ({ context: { frame } }: At, params: { readonly branches?: readonly NodeId[] }): void => {
    const { visit, run } = frame;
    if (visit === null) return;
    visit.children += 1;
    frame.forked = params.branches ?? [];
    if (params.branches === undefined) return;
    frame.branches = params.branches.map(() => null);
    run.record({ ...visit.scope, type: 'fork.opened', branches: params.branches });
  },
  takeReturn: (at: At): void => {
    const child = childOf(at);
    if (child !== null) takeReturn(at.context.frame, child.frame);
  },
  keepBranch: (at: At, params: { readonly branch: number }): void => {
    at.context.frame.branches[params.branch] = childOf(at)?.frame ?? null;
  },
  joinBranches: ({ context: { frame } }: At): void => {
    joinBranches(frame);
    if (frame.visit !== null) frame.run.record({ ...frame.visit.scope, type: 'fork.joined' });
  },
  takeFailure: (at: At): void => {
    const { frame } = at.context;
    const child = childOf(at)?.frame ?? null;
    frame.childFailure = child?.failure ?? null;
    if (child !== null) keepFailed(frame, child);
    frame.branches = [];
    cancelChildren(frame);
  },
  failWithChild: (at: At): void => {
    at.context.frame.failure = childOf(at)?.frame.failure ?? null;
    cancelChildren(at.context.frame);
  },
};
