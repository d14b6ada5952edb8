import { fromCallback } from 'xstate';
import type { BlockId } from '#protocol/id.ts';
import type { Frame, Visit } from './state.ts';
import { leaveTo, type VisitInput } from './visit.logic.ts';

/** What a person decided about a flagged block; `elsewhere` is a block, or null to return. */
export type Decision =
  { readonly kind: 'again' | 'proceed' } | { readonly kind: 'elsewhere'; readonly to: BlockId | null };

/**
 * Waits for a person at a block that has executed; never resolves when the run ends first.
 * An answer counts as one that moves (`RunState.moving`) until the chart has heard it.
 */
export type AskPerson = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<Decision>;

/** The actor behind a block's `@HALT` state. */
export const personLogic = (ask: AskPerson) =>
  fromCallback<{ type: string }, VisitInput, { type: string }>(({ input: { frame }, sendBack }) => {
    const { visit } = frame;
    if (visit === null) return undefined;
    const controller = new AbortController();
    void ask(frame, visit, controller.signal).then((decision) => {
      if (!controller.signal.aborted)
        sendBack(decision.kind === 'elsewhere' ? leaveTo(frame, decision.to) : { type: '@retry' });
      frame.run.moving -= 1;
      frame.run.onStill();
    });
    return () => controller.abort();
  });
