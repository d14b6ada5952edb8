/** A branch that is to be landed, in the order of the landing. */
export interface LandingCar {
  /** Unique in the landing: the title or branch that people know it by. */
  readonly name: string;
  /** The names of earlier cars that its branch contains, as in a stack of branches. */
  readonly needs: readonly string[];
}

/** Two cars that are tested first when something fails, because they probably break each other. */
export type SuspectedPair = readonly [string, string];

/** The name of a failure that the tests did not name. Two of them may have different causes. */
export const UNNAMED_FAILURE = '';

/** Why a car does not land. `with`: the other cars that it takes; empty if the base alone is enough. */
export type NotLanded =
  /** Git could not merge it. */
  | {
      readonly kind: 'conflict';
      readonly with: readonly string[];
      readonly files: readonly string[];
      readonly why: string;
    }
  /** Tests fail with it, and pass without it. */
  | { readonly kind: 'breaks'; readonly with: readonly string[]; readonly test: string }
  /** It contains a car that does not land. */
  | { readonly kind: 'needs'; readonly with: readonly string[] }
  /** The limit of test runs was reached before it was clear. */
  | { readonly kind: 'undecided'; readonly with: readonly string[] }
  /** The base fails without any car, in a way that can't be told apart from failures of cars. */
  | { readonly kind: 'base_fails'; readonly with: readonly string[] }
  /** The base changed again and again. */
  | { readonly kind: 'base_moves'; readonly with: readonly string[] };

/** What the landing needs to know or to have done next. Cars are given in their order; none means the base itself. */
export type LandingStep =
  | { readonly kind: 'build'; readonly cars: readonly string[] }
  | { readonly kind: 'test'; readonly cars: readonly string[] }
  /** Compares cars that fail together, to find the pairs that probably break each other. */
  | { readonly kind: 'compare'; readonly cars: readonly string[] }
  /** Moves the base to a combination that was tested. */
  | { readonly kind: 'move'; readonly cars: readonly string[] }
  /** A result of the search; no answer is needed. */
  | { readonly kind: 'found'; readonly found: LandingFinding };

export type LandingFinding =
  | { readonly kind: 'cause'; readonly car: string; readonly with: readonly string[]; readonly test: string }
  | { readonly kind: 'flaky'; readonly tests: readonly string[] }
  | { readonly kind: 'on_base'; readonly tests: readonly string[] }
  | { readonly kind: 'base_moved' };

/** A car that git could not merge with those before it, or that a hook has refused. */
export interface ConflictingCar {
  readonly name: string;
  readonly with: readonly string[];
  readonly files: readonly string[];
  /** What git or the hook said. */
  readonly why: string;
}

export type LandingAnswer =
  /** All cars except these were merged in order. */
  | { readonly kind: 'built'; readonly conflicts: readonly ConflictingCar[] }
  /** The names of the failed tests; empty if all passed. */
  | { readonly kind: 'tested'; readonly failures: readonly string[] }
  /** The cars could not be merged, so nothing was tested. */
  | { readonly kind: 'not_built' }
  /** The likeliest pair first. */
  | { readonly kind: 'compared'; readonly suspects: readonly SuspectedPair[] }
  | { readonly kind: 'moved' }
  | { readonly kind: 'base_moved' };

/** The end of a landing. */
export interface LandingEnd {
  /** The cars that the base has now; empty if it was not moved. */
  readonly landed: readonly string[];
  readonly back: ReadonlyMap<string, NotLanded>;
  /** Tests that failed and passed on the same files. */
  readonly flaky: readonly string[];
  /** Tests that the base fails without any car. */
  readonly onBase: readonly string[];
  readonly runs: number;
}
