import { fromCallback } from 'xstate';
import { failBroken, leaveTo, type VisitInput } from './visit.logic.ts';

/** The actor behind a block's `@HALT` state. */
export const personLogic = fromCallback<{ type: string }, VisitInput, { type: string }>(
  ({ input: { frame }, sendBack }) => {
    const { visit } = frame;
    if (visit === null) return undefined;
    const controller = new AbortController();
    const answered = (event: () => { type: string }): void => {
      if (!controller.signal.aborted) sendBack(event());
      frame.run.moving -= 1;
      frame.run.onStill();
    };
    frame.run.effects.ask(frame, visit, controller.signal).then(
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
  },
);
