import type { Environment } from './environment.ts';
import type { SessionId } from './id.ts';
import type { LandingFinding, NotLanded, SuspectedPair } from './landing.ts';

/** What is to be landed. */
export interface LandingOrder {
  /** Sessions, branches or worktrees, in the order of the landing; empty for `all`, or to go on with a landing. */
  readonly names: readonly string[];
  /** Every session that is ready, and every other worktree whose work is committed. */
  readonly all: boolean;
  /** The maximum number of test runs, from 1. */
  readonly maxRuns: number;
  /** The environment of the command, for the tests; null if unknown. */
  readonly environment: Environment | null;
}

/** A branch that is part of a landing. */
export interface LandedCar {
  readonly name: string;
  /** Null: the branch belongs to no session. */
  readonly session: SessionId | null;
  readonly branch: string;
  /** The commit that is merged, as a full hash. */
  readonly tip: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** Something that was named or found, and does not take part. */
export interface NotTaken {
  readonly name: string;
  readonly why: string;
}

/** What a landing would do. */
export interface LandingPlan {
  readonly base: string;
  /** The base's commit. */
  readonly from: string;
  readonly cars: readonly LandedCar[];
  readonly left: readonly NotTaken[];
  /** Cars that git can't merge with those before them. */
  readonly conflicts: readonly {
    readonly name: string;
    readonly with: readonly string[];
    readonly files: readonly string[];
  }[];
  /** Pairs that probably break each other. */
  readonly suspects: readonly SuspectedPair[];
  /** The command that tests. */
  readonly tests: string;
  /** How long the tests took the last time, in milliseconds; null if unknown. */
  readonly usual: number | null;
}

/** A run of the tests on a combination of cars. */
export interface LandingRun {
  readonly number: number;
  readonly cars: readonly string[];
  readonly failures: readonly string[];
  readonly counts: { readonly passed: number; readonly failed: number } | null;
  readonly ms: number;
}

/** News of a landing while it goes on. */
export type LandingNews =
  | {
      readonly kind: 'plan';
      readonly plan: Omit<LandingPlan, 'conflicts' | 'suspects'>;
      readonly goesOn: number | null;
    }
  | { readonly kind: 'built'; readonly conflicts: readonly string[] }
  | { readonly kind: 'testing'; readonly number: number; readonly cars: readonly string[] }
  | { readonly kind: 'tested'; readonly run: LandingRun }
  | { readonly kind: 'found'; readonly found: LandingFinding };

/** A line of one branch that takes part in a failure. */
export interface LandingPlace {
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
  readonly text: string;
}

/** A car that came back. */
export interface ReturnedCar {
  readonly name: string;
  readonly session: SessionId | null;
  readonly why: NotLanded;
  /** The reason in one sentence. */
  readonly reason: string;
  /** What the tests printed; empty if it was no test. */
  readonly output: string;
  /** Lines of the cars that break each other, as far as the analysis found them. */
  readonly places: readonly LandingPlace[];
}

/** The result of a landing. */
export interface LandingReport {
  readonly base: string;
  readonly from: string;
  /** The base's commit afterwards; null if it was not moved. */
  readonly to: string | null;
  readonly cars: readonly LandedCar[];
  readonly landed: readonly string[];
  readonly back: readonly ReturnedCar[];
  readonly left: readonly NotTaken[];
  readonly runs: readonly LandingRun[];
  readonly flaky: readonly string[];
  /** Tests that the base fails without any car. */
  readonly on_base: readonly string[];
  /** True if it was interrupted; `robosmith land` goes on. */
  readonly is_stopped: boolean;
  readonly tests: string;
  readonly ms: number;
  readonly notes: readonly string[];
}

/** The result of undoing the last landing. */
export interface LandingUndone {
  readonly base: string;
  /** The base's commit before and after; equal if the landing had not moved it. */
  readonly from: string;
  readonly to: string;
  readonly notes: readonly string[];
}

/** Landing of several branches as one act. Throws a RoboSmithError: `usage`, `wrong_state`, `refused`. */
export interface LandingApi {
  plan(order: LandingOrder): Promise<LandingPlan>;
  /** Starts a landing, or goes on with one that was interrupted. */
  start(order: LandingOrder, signal: AbortSignal, onNews: (news: LandingNews) => void): Promise<LandingReport>;
  /** Moves the base back to where it was before the last landing, unless somebody has built on it. */
  undo(): Promise<LandingUndone>;
}
