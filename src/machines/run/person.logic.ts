import { fromCallback } from 'xstate';
import type { BlockId } from '#protocol/id.ts';
import type { Frame, Visit } from './state.ts';
import { failBroken, leaveTo, type VisitInput } from './visit.logic.ts';

/** What a person decided about a flagged block; `elsewhere` is a block, or null to return. */
export type Decision =
  { readonly kind: 'again' | 'proceed' | 'stopped' } | { readonly kind: 'elsewhere'; readonly to: BlockId | null };

/**
 * Waits for a person at a block that has executed; `stopped` when the frame ends first.
 * An answer counts as one that moves (`RunState.moving`) until the chart has heard it.
 */
export type AskPerson = (frame: Frame, visit: Visit, signal: AbortSignal) => Promise<Decision>;

/** The actor behind a block's `@HALT` state. */
export const personLogic = (ask: AskPerson) =>
  fromCallback<{ type: string }, VisitInput, { type: string }>(({ input: { frame }, sendBack }) => {
    const { visit } = frame;
    if (visit === null) return undefined;
    const controller = new AbortController();
    const answered = (event: () => { type: string }): void => {
      if (!controller.signal.aborted) sendBack(event());
      frame.run.moving -= 1;
      frame.run.onStill();
    };
    ask(frame, visit, controller.signal).then(
      (decision) => {
        if (decision.kind === 'stopped') return;
        answered(() => (decision.kind === 'elsewhere' ? leaveTo(frame, decision.to) : { type: '@retry' }));
      },
      (thrown: unknown) => {
        frame.run.moving += 1;
        answered(() => failBroken(frame, visit, thrown));
      },
    );
    return () => controller.abort();
  });
