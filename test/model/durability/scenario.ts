import fc from 'fast-check';
import type { JsonObject } from '#protocol/json.ts';
import { buildWorkflow } from '../build-workflow.ts';
import { type Plan, plan, type RowPlan } from '../plan.ts';
import type { Observation } from './observed-run.ts';

/** The way in which a session of the engine ends before its runs do. */
export type SessionEnd =
  /** The process dies at a file call: before it, in the middle of it, or after it. */
  | {
      readonly kind: 'crash';
      readonly at: number;
      readonly phase: 'before' | 'half' | 'after';
      readonly power: number | null;
    }
  /** The process dies while no file call is in progress. */
  | { readonly kind: 'kill'; readonly at: number; readonly power: number | null }
  | { readonly kind: 'interrupt'; readonly at: number }
  | { readonly kind: 'pause'; readonly at: number };

export interface SessionPlan {
  readonly end: SessionEnd;
  /** The difference between the session's clock and true time, as a number of jumps (`JUMP_MS`). */
  readonly jump: number;
  /** True if syncs are slow and therefore run on another thread. */
  readonly slow: boolean;
}

export interface RunPlan {
  readonly plan: Plan;
  /** True if the caller provides the workers, which can report after a crash whether they had finished. */
  readonly own: boolean;
  /** True if halts are answered from outside, false if the run's script answers them. */
  readonly answered: boolean;
}

export interface Scenario {
  readonly runs: readonly RunPlan[];
  readonly sessions: readonly SessionPlan[];
}

const phase = fc.constantFrom('before' as const, 'half' as const, 'after' as const);
/** The seed that determines what survives a power loss; null if only the process ends. */
const power = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 999_999 }) });
const call = fc.oneof(fc.nat({ max: 25 }), fc.nat({ max: 100 }), fc.nat({ max: 400 }));
const turn = fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 20 }));

const end: fc.Arbitrary<SessionEnd> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('crash' as const), at: call, phase, power }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), at: turn, power }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('interrupt' as const), at: turn }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), at: turn }) },
);

const session: fc.Arbitrary<SessionPlan> = fc.record({
  end,
  jump: fc.constantFrom(0, 0, 1, -1, 3),
  slow: fc.nat({ max: 4 }).map((n) => n === 4),
});

/** Removes most schemas. Compiling one takes longer than the rest of a small run and is irrelevant to durability. */
const withoutSchemas = (random: Plan): Plan => ({
  ...random,
  nodes: random.nodes.map((node) => ({
    ...node,
    blocks: node.blocks.map((block) => ({
      ...block,
      validation: block.validation === 'none' ? 'none' : 'keyword',
    })),
  })),
});

/**
 * Removes conditions on the number of attempts: a re-execution after a crash counts as an attempt, so such a row may
 * correctly differ.
 */
const withoutAttempts = (random: Plan): Plan => ({
  ...random,
  nodes: random.nodes.map((node) => ({
    ...node,
    blocks: node.blocks.map((block) => ({
      ...block,
      rows: block.rows.map((row) =>
        row.condition?.id === 4 ? { ...row, condition: { ...row.condition, id: 5 } } : row,
      ),
    })),
  })),
});

const run: fc.Arbitrary<RunPlan> = fc.record({
  plan: fc
    .oneof({ weight: 7, arbitrary: plan.map(withoutSchemas) }, { weight: 1, arbitrary: plan })
    .map(withoutAttempts),
  own: fc.boolean(),
  answered: fc.boolean(),
});

/**
 * Maximum number of crashes of a run whose script answers halts. More crashes would open the circuit breaker, and its
 * halt would consume an answer of the script (point 22 of docs/decisions/2026-11-21-run-semantics.md).
 */
const MOST_CUTS = 3;

const withoutFlag = (row: RowPlan): RowPlan => ({ ...row, action: Math.min(row.action, 95) });

/**
 * Makes all work repeatable, and keeps only halts that accept every answer, because the journal doesn't record which
 * scripted answers were refused.
 */
const forScript = (random: Plan): Plan => ({
  ...random,
  nodes: random.nodes.map((node) => ({
    ...node,
    blocks: node.blocks.map((block) => ({
      ...block,
      sideEffects: 'idempotent',
      entries: block.entries.map((entry) => ({ ...entry, unsafe: false })),
      rows: block.rows.map(withoutFlag),
      fallback: block.fallback === null ? null : withoutFlag(block.fallback),
      manual: false,
      sugar: block.sugar !== null && block.sugar % 3 === 1 ? block.sugar - 1 : block.sugar,
    })),
  })),
});

const withoutScriptedCuts = ({ runs, sessions }: Scenario): Scenario => ({
  sessions,
  runs: runs.map((one) => {
    if (one.answered || sessions.length > MOST_CUTS) return { ...one, answered: true };
    return { ...one, plan: forScript(one.plan) };
  }),
});

/**
 * Lets all sessions have the same clock if a policy delays the next attempt: the end of such a delay is kept as a time,
 * so a clock that was set changes the order of concurrent branches.
 */
const withoutJumps = ({ runs, sessions }: Scenario): Scenario => {
  const isDelayed = runs.some(({ plan: { nodes } }) =>
    nodes.some(({ blocks }) =>
      blocks.some((block) => [...block.recovery, ...block.timeoutRecovery].some(({ delayMs }) => delayMs > 0)),
    ),
  );
  return { runs, sessions: isDelayed ? sessions.map((one) => ({ ...one, jump: 0 })) : sessions };
};

/** Generates scenarios with few crashes, so that every run reaches its end. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    runs: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.array(run, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(run, { minLength: 2, maxLength: 3 }) },
    ),
    sessions: fc.array(session, { minLength: 1, maxLength: 5, size: '+1' }),
  })
  .map(withoutScriptedCuts)
  .map(withoutJumps);

/**
 * Makes all repairs idempotent. If a non-idempotent repair is cut off, it counts as a repair without a result, which
 * would change the rest of the run.
 */
const withSafeRepairs = (script: JsonObject): JsonObject => ({
  ...script,
  'Worker:Fixer': (script['Worker:Fixer'] as readonly JsonObject[]).map((entry) => ({
    ...entry,
    side_effects: 'idempotent',
  })),
});

export const observationOf = ({ plan: planned, own, answered }: RunPlan): Observation => {
  const written = buildWorkflow(planned);
  return { written: { ...written, script: withSafeRepairs(written.script) }, own, answered };
};
