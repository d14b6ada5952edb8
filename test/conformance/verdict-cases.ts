import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ConformanceCase } from './workflows/conformance-case.ts';

/**
 * The outcomes of the children, one letter per child. S: returns SUCCESS. F: returns FAILURE. T: reaches its time limit
 * and returns with TIMEOUT. X: fails after the others have returned.
 */
const OUTCOMES = [
  'S',
  'F',
  'SS',
  'SF',
  'FF',
  'ST',
  'SX',
  'FX',
  'SSS',
  'SSF',
  'SFF',
  'SSX',
  'FFX',
  'SSFF',
  'SSSF',
  'SSFX',
];

interface Rule {
  readonly name: string;
  readonly rule: JsonValue;
  readonly shown: string;
  readonly holds: (count: number, all: number) => boolean;
}

const RULES: readonly Rule[] = [
  { name: 'all', rule: 'all', shown: 'all', holds: (count, all) => count === all },
  { name: 'any', rule: 'any', shown: 'any', holds: (count) => count >= 1 },
  { name: 'majority', rule: 'majority', shown: 'majority', holds: (count, all) => count > all / 2 },
  { name: 'at-least-2', rule: { at_least: 2 }, shown: 'at least 2', holds: (count) => count >= 2 },
  { name: 'at-least-4', rule: { at_least: 4 }, shown: 'at least 4', holds: (count) => count >= 4 },
];

const SIGNAL_OF: Readonly<Record<string, string>> = {
  S: 'SIGNAL:SUCCESS',
  F: 'SIGNAL:FAILURE',
  T: 'SIGNAL:TIMEOUT',
  X: 'SIGNAL:ERROR',
};

const ENTRY_OF: Readonly<Record<string, JsonObject>> = {
  S: { signal: 'SIGNAL:SUCCESS' },
  F: { signal: 'SIGNAL:FAILURE' },
  T: { signal: 'SIGNAL:SUCCESS', delay_ms: 20 },
  X: { error: 'broken', delay_ms: 30 },
};

const row = (signal: string, action: string): JsonObject => ({ on_signal: `SIGNAL:${signal}`, action });

const nodeOf = (child: number): string => `Review_${String(child)}`;

const RETURNS: JsonObject = {
  worker: 'Worker:Coder',
  timeout_ms: 10,
  transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'RETURN'), row('TIMEOUT', 'RETURN')],
};

/** A block without a time limit and without a row for its error, so that its frame fails. */
const FAILS: JsonObject = { worker: 'Worker:Coder', transitions: [row('SUCCESS', 'RETURN')] };

function manifestOf(outcomes: string, { rule }: Rule, action: 'CALL' | 'FORK'): JsonObject {
  const children = [...outcomes].map((_, child) => nodeOf(child));
  const main: JsonObject = {
    ask: {
      worker: 'Worker:Coder',
      transitions: [row('SUCCESS', `${action}:${children.join(',')}:judge`), row('ERROR', 'JUMP:judge')],
    },
    judge: {
      worker: 'Internal:Verdict',
      params: { rule },
      transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:fix')],
    },
    fix: { worker: 'Worker:Coder', transitions: [row('SUCCESS', 'RETURN')] },
  };
  const reviews = [...outcomes].map((outcome, child) => {
    const look = outcome === 'X' ? FAILS : RETURNS;
    return [nodeOf(child), { entry_block: 'look', blocks: { look } }] as const;
  });
  return {
    version: 1,
    workers: { 'Worker:Coder': { kind: 'ai' } },
    nodes: { Main: { entry_block: 'ask', blocks: main }, ...Object.fromEntries(reviews) },
  };
}

/**
 * Returns the indexes of the children in the order in which they finish: S and F at once, T at its time limit, X at its
 * failure.
 */
const inTime = (outcomes: string): readonly number[] =>
  [...outcomes].map((_, child) => child).sort((a, b) => timeOf(outcomes, a) - timeOf(outcomes, b) || a - b);

const timeOf = (outcomes: string, child: number): number => ('SFTX'.indexOf(outcomes[child] ?? '') >> 1 ? 1 : 0);

function pathOf(outcomes: string, verdict: string, action: 'CALL' | 'FORK'): readonly string[] {
  const children = [...outcomes].map((_, child) => nodeOf(child)).join(',');
  const frame = (child: number): string => `/Main__ask#1${action === 'FORK' ? `[${String(child)}]` : ''}`;
  const steps = inTime(outcomes).map((child, at) => {
    const outcome = outcomes[child] ?? '';
    const end = outcome === 'X' ? 'none -' : 'match RETURN';
    return `${String(at + 2)} ${frame(child)} ${nodeOf(child)}__look#1 1 ${SIGNAL_OF[outcome] ?? ''} ${end}`;
  });
  const after = steps.length + 2;
  const isYes = verdict === 'SIGNAL:SUCCESS';
  return [
    `1 / Main__ask#1 1 SIGNAL:SUCCESS match ${action}:${children}:Main__judge`,
    ...steps,
    ...(outcomes.includes('X') ? ['1 / Main__ask#1 1 SIGNAL:ERROR match JUMP:Main__judge'] : []),
    `${String(after)} / Main__judge#1 1 ${verdict} match ${isYes ? 'RETURN' : 'JUMP:Main__fix'}`,
    ...(isYes ? [] : [`${String(after + 1)} / Main__fix#1 1 SIGNAL:SUCCESS match RETURN`]),
  ];
}

const isFailed = (outcome: string): boolean => outcome === 'T' || outcome === 'X';

const lineOf = (outcome: string, child: number): string =>
  `${nodeOf(child)}: ${SIGNAL_OF[outcome] ?? ''}${isFailed(outcome) ? ', counted as SIGNAL:FAILURE' : ''}`;

function caseOf(outcomes: string, rule: Rule, action: 'CALL' | 'FORK'): ConformanceCase {
  const count = outcomes.split('S').length - 1;
  const verdict = rule.holds(count, outcomes.length) ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE';
  const summary = `Verdict ${verdict}: ${String(count)} of ${String(outcomes.length)} returned SIGNAL:SUCCESS; the rule is "${rule.shown}".`;
  const content = [summary, ...[...outcomes].map(lineOf)].join('\n');
  const returned = [...outcomes].map((outcome, child) => ({
    node: nodeOf(child),
    signal: SIGNAL_OF[outcome] ?? '',
    exports: isFailed(outcome) ? {} : { [`said_${String(child)}`]: outcome },
  }));
  const entries = [...outcomes].map((outcome, child) => {
    const entry = ENTRY_OF[outcome] ?? {};
    return [
      `${nodeOf(child)}__look`,
      [isFailed(outcome) ? entry : { ...entry, exports: { [`said_${String(child)}`]: outcome } }],
    ] as const;
  });
  return {
    id: `verdict-${rule.name}-of-${action.toLowerCase()}-${outcomes.toLowerCase()}`,
    requirements: ['decisions.verdicts.1', 'decisions.verdicts.3', 'decisions.verdicts.6', 'decisions.verdicts.7'],
    about: `Generated: the rule "${rule.shown}" over a ${action} of ${outcomes}.`,
    manifest: manifestOf(outcomes, rule, action),
    start: 'Main',
    script: { ...Object.fromEntries(entries), '*': [{ signal: 'SIGNAL:SUCCESS' }] },
    expect: {
      success: true,
      reason: null,
      path: pathOf(outcomes, verdict, action),
      payload: [{ type: 'VERDICT', content, source: 'Main__judge#1' }],
      memory: [{ at: 'Main__judge#1', returned }],
    },
  };
}

/**
 * Returns every rule of `Internal:Verdict` applied to the outcomes of 1 to 4 children, by rule. The expected results are
 * computed from the rules in docs/decisions/2026-11-25-verdicts.md, without the engine and the naive interpreter.
 */
export const verdictCases = (): ReadonlyMap<string, readonly ConformanceCase[]> =>
  new Map(
    RULES.map((rule) => {
      const calls = ['S', 'F', 'T', 'X'].map((outcomes) => caseOf(outcomes, rule, 'CALL'));
      const forks = OUTCOMES.map((outcomes) => caseOf(outcomes, rule, 'FORK'));
      return [rule.name, [...calls, ...forks]];
    }),
  );
