import type { Condition } from './program.ts';
import type { RunRequest } from './run-outcome.ts';

/** An input to a frame from outside its transition tables: from a worker, a child frame, a person or a limit. */
export type OwnTurn =
  | {
      readonly kind: 'signal';
      readonly signal: string;
      readonly byEngine: boolean;
      readonly holds: (condition: Condition) => boolean;
    }
  | { readonly kind: 'child_failed'; readonly holds: (condition: Condition) => boolean }
  | { readonly kind: 'answer'; readonly answer: string; readonly to: string | null }
  | { readonly kind: 'limit'; readonly endsRun: boolean };

export type Turn = OwnTurn & { readonly frame: string; readonly block: string };

export interface InterpreterRequest extends RunRequest {
  /** Called with each turn in the order of virtual time. */
  readonly onTurn?: (turn: Turn) => void;
}
