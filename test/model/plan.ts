import fc from 'fast-check';

/**
 * A random workflow, described by small numbers. Indexes are used modulo the number of candidates, so every plan gives
 * a valid manifest and stays valid while fast-check shrinks it.
 */
export interface Plan {
  readonly nodes: readonly NodePlan[];
  readonly limits: { readonly steps: number; readonly runSteps: number; readonly depth: number };
  readonly answers: readonly AnswerPlan[];
  readonly start: number;
  readonly startAtBlock: boolean;
  readonly stepMode: boolean;
  readonly input: boolean;
}

export interface NodePlan {
  readonly blocks: readonly BlockPlan[];
  readonly entry: number;
  readonly maxSteps: number | null;
  readonly boundary: boolean;
  /** The index of the node's static memory. */
  readonly memory: number;
}

export interface BlockPlan {
  readonly rows: readonly RowPlan[];
  /** The last row, which handles SIGNAL:FAIL_DEFAULT; null if there is none. */
  readonly fallback: RowPlan | null;
  readonly entries: readonly EntryPlan[];
  readonly recovery: readonly PolicyPlan[];
  readonly timeoutRecovery: readonly PolicyPlan[];
  readonly timeoutMs: number | null;
  readonly gate: boolean;
  readonly manual: boolean;
  /** The index of the rule of a block with `Internal:Verdict`; null for other blocks. */
  readonly verdict: number | null;
  readonly validation: 'none' | 'keyword' | 'schema' | 'both';
  readonly sideEffects: 'idempotent' | 'non_idempotent' | null;
  readonly sugar: number | null;
  readonly strategy: readonly number[] | null;
}

export interface RowPlan {
  readonly signal: number;
  readonly condition: ConditionPlan | null;
  readonly action: number;
  readonly target: number;
  readonly nodes: readonly number[];
  readonly address: number | null;
}

export interface ConditionPlan {
  readonly id: number;
  readonly value: number;
}

export interface EntryPlan {
  readonly kind: number;
  readonly pick: number;
  readonly delayMs: number;
  readonly segments: number;
  readonly exported: number;
  readonly unsafe: boolean;
}

export interface PolicyPlan {
  readonly kind: number;
  readonly attempts: number;
  readonly delayMs: number;
  readonly backoff: number;
}

export interface AnswerPlan {
  readonly block: number;
  readonly verb: number;
  readonly to: number;
  readonly guidance: boolean;
}

const small = fc.nat({ max: 11 });
const wide = fc.nat({ max: 99 });
const rarely = (percent: number): fc.Arbitrary<boolean> => wide.map((n) => n >= 100 - percent);
/** Options that make fast-check shrink towards the first and simplest alternative. */
const shrinking = { withCrossShrink: true } as const;

const maybe = <Value>(percent: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof(shrinking, { weight: 100 - percent, arbitrary: fc.constant(null) }, { weight: percent, arbitrary });

const condition: fc.Arbitrary<ConditionPlan> = fc.record({ id: fc.nat({ max: 9 }), value: fc.nat({ max: 3 }) });

const row: fc.Arbitrary<RowPlan> = fc.record({
  signal: wide,
  condition: maybe(25, condition),
  action: wide,
  target: small,
  nodes: fc.array(small, { minLength: 1, maxLength: 3 }),
  address: maybe(40, small),
});

const delay = fc.constantFrom(0, 0, 0, 1, 2, 5, 10);

const entry: fc.Arbitrary<EntryPlan> = fc.record({
  kind: wide,
  pick: wide,
  delayMs: delay,
  segments: fc.nat({ max: 8 }),
  exported: fc.nat({ max: 11 }),
  unsafe: rarely(7),
});

const policy: fc.Arbitrary<PolicyPlan> = fc.record({
  kind: fc.nat({ max: 5 }),
  attempts: fc.integer({ min: 1, max: 4 }),
  delayMs: fc.constantFrom(0, 0, 1, 3, 7),
  backoff: fc.integer({ min: 1, max: 3 }),
});

const policies = fc.oneof(
  shrinking,
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(policy, { minLength: 1, maxLength: 3 }) },
);

const rows = fc.oneof(
  shrinking,
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 14, arbitrary: fc.array(row, { minLength: 1, maxLength: 5 }) },
);

const block: fc.Arbitrary<BlockPlan> = fc.record({
  rows,
  fallback: maybe(55, row),
  entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
  recovery: policies,
  timeoutRecovery: policies,
  timeoutMs: maybe(15, fc.constantFrom(1, 4, 5, 8)),
  gate: rarely(5),
  manual: rarely(2),
  verdict: maybe(8, fc.nat({ max: 13 })),
  validation: maybe(20, fc.constantFrom('keyword' as const, 'schema' as const, 'both' as const)).map(
    (kind) => kind ?? 'none',
  ),
  sideEffects: maybe(20, fc.constantFrom('idempotent', 'non_idempotent')),
  sugar: maybe(8, small),
  strategy: maybe(30, fc.array(small, { maxLength: 3 })),
});

const node: fc.Arbitrary<NodePlan> = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
  entry: small,
  maxSteps: maybe(25, fc.constantFrom(1, 2, 3, 6)),
  boundary: rarely(25),
  memory: fc.nat({ max: 3 }),
});

const answer: fc.Arbitrary<AnswerPlan> = fc.record({
  block: wide,
  verb: fc.nat({ max: 19 }),
  to: wide,
  guidance: rarely(20),
});

export const plan: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 4 }),
  limits: fc.record({
    steps: fc.integer({ min: 4, max: 30 }),
    runSteps: fc.integer({ min: 8, max: 50 }),
    depth: fc.integer({ min: 1, max: 6 }),
  }),
  answers: fc.array(answer, { maxLength: 16, size: '+1' }),
  start: small,
  startAtBlock: rarely(15),
  stepMode: rarely(4),
  input: rarely(25),
});
