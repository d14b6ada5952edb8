import fc from 'fast-check';
import type { JsonObject } from '#protocol/json.ts';
import { buildWorkflow } from '../build-workflow.ts';
import { type Plan, plan, type RowPlan } from '../plan.ts';
import type { Observation } from './observed-run.ts';

/** How a session of the engine ends before its runs do. */
export type SessionEnd =
  /** At a file call: before it, in its middle, after it. */
  | {
      readonly kind: 'crash';
      readonly at: number;
      readonly phase: 'before' | 'half' | 'after';
      readonly power: number | null;
    }
  /** While nothing is under way. */
  | { readonly kind: 'kill'; readonly at: number; readonly power: number | null }
  | { readonly kind: 'interrupt'; readonly at: number }
  | { readonly kind: 'pause'; readonly at: number };

export interface SessionPlan {
  readonly end: SessionEnd;
  /** Whole jumps of the clock from its true time. */
  readonly jump: number;
  /** Syncs are slow, and made off the thread. */
  readonly slow: boolean;
}

export interface RunPlan {
  readonly plan: Plan;
  /** Workers of the caller's own, which know after a crash whether they were done. */
  readonly own: boolean;
  /** Halts are answered from outside; else by the run's script. */
  readonly answered: boolean;
}

export interface Scenario {
  readonly runs: readonly RunPlan[];
  readonly sessions: readonly SessionPlan[];
}

const phase = fc.constantFrom('before' as const, 'half' as const, 'after' as const);
/** A seed for what survives; null: only the process ends. */
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

/** Compiling a schema costs more than all else that a small run does, and has nothing to do with durability: few have one. */
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

/** Re-execution after a crash is an attempt, so a condition on attempts may rightly take another way then. */
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

/** The halt of a step that was cut off takes an answer of the script, as any other (decision record, 22): then the rest goes another way. */
const MOST_CUTS = 3;

const withoutFlag = (row: RowPlan): RowPlan => ({ ...row, action: Math.min(row.action, 95) });

/** Nothing that can't be repeated, and only halts that take every answer: which ones a script has used up in vain is not kept. */
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

/** Few crashes, so that every scenario comes to its end. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    runs: fc.oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: fc.array(run, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(run, { minLength: 2, maxLength: 3 }) },
    ),
    sessions: fc.array(session, { minLength: 1, maxLength: 5, size: '+1' }),
  })
  .map(withoutScriptedCuts);

/** A repair that was cut off and can't be repeated counts as one that made nothing: then the rest goes another way. */
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
