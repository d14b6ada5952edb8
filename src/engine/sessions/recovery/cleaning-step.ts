import type { KeptRef } from '#io/git/outcomes/prune-kept.ts';
import type { Removal } from '#io/git/worktrees/remove-worktree.ts';

/** Something that `worktrees clean` removes or keeps, and why. `name`: a path, a session's id or a ref. */
export interface CleaningItem {
  readonly what: 'worktree' | 'registration' | 'session' | 'recovery';
  readonly name: string;
  readonly message: string;
}

/** A step of cleaning. `removal` and `kept` are both null if the item is removed by other means. */
export interface CleaningStep {
  readonly item: CleaningItem;
  readonly removal: Removal | null;
  readonly kept: KeptRef | null;
}

export type PlannedCleaning = CleaningStep | { readonly stays: CleaningItem };

export const staying = (what: CleaningItem['what'], name: string, message: string): PlannedCleaning => ({
  stays: { what, name, message },
});
