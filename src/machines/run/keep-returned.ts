import type { Action } from '#protocol/graph.ts';
import type { NodeId, Signal } from '#protocol/id.ts';
import type { Returned } from '#protocol/payload.ts';
import { ERROR, NO_SIGNAL } from '#protocol/signal.ts';
import { isSuccess } from './conditions.ts';
import type { Frame } from './state.ts';

const NO_EXPORTS = Object.freeze({});

const returnedBy = ({ called, signal, written }: Frame): Returned =>
  Object.freeze({ node: called, signal: signal ?? NO_SIGNAL, exports: written });

const failed = (node: NodeId): Returned => Object.freeze({ node, signal: ERROR, exports: NO_EXPORTS });

/**
 * Returns the signal with which the frame ends if this CALL or FORK is its last action: the first signal of a child
 * that is not a success, else the first signal.
 */
const endingSignal = (returned: readonly Returned[]): Signal | null =>
  (returned.find(({ signal }) => !isSuccess(signal)) ?? returned[0])?.signal ?? null;

/** Keeps the outcomes of the children that have returned, in written order. */
export function keepReturned(caller: Frame, children: readonly Frame[]): void {
  caller.returned = Object.freeze(children.map(returnedBy));
  // Without a return address, the frame ends with this signal; otherwise the next block's signal replaces it.
  caller.signal = endingSignal(caller.returned);
}

/** Keeps the outcomes of a CALL or FORK with a failed child. A branch that had not returned counts as failed. */
export function keepFailed(caller: Frame, child: Frame): void {
  const { forked, branches } = caller;
  if (forked.length === 0) caller.returned = Object.freeze([failed(child.called)]);
  else {
    const outcomes = forked.map((node, index) => {
      const branch = branches[index] ?? null;
      return branch === null ? failed(node) : returnedBy(branch);
    });
    caller.returned = Object.freeze(outcomes);
  }
}

/** Keeps the outcome of a CALL or FORK whose children would be too deep. */
export function keepRefused(caller: Frame, action: Action): void {
  if (action.kind === 'call') caller.returned = Object.freeze([failed(action.node)]);
  if (action.kind === 'fork') caller.returned = Object.freeze(action.nodes.map(failed));
}
