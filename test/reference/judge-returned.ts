import type { JsonObject } from '#protocol/json.ts';
import type { ReturnedView } from './run-outcome.ts';
import { numberOr, objectOr, stringOr } from './json-reading.ts';
import type { Execution } from './scripted-execution.ts';

const NO_VERDICT = ['SIGNAL:ERROR', 'SIGNAL:TIMEOUT', 'SIGNAL:VALIDATION_FAIL', 'SIGNAL:NO_SIGNAL'];

const PASSES: Readonly<Record<string, (yes: number, no: number) => boolean>> = {
  all: (_yes, no) => no === 0,
  any: (yes) => yes > 0,
  majority: (yes, no) => yes > no,
};

/** Executes `Internal:Verdict` (docs/decisions/2026-11-25-verdicts.md). */
export const judgeReturned = (params: JsonObject, returned: readonly ReturnedView[]): Execution => {
  const wanted = stringOr(params['signal'], 'SIGNAL:SUCCESS');
  const instead = stringOr(params['failed_as'], 'SIGNAL:FAILURE');
  const rule = stringOr(params['rule'], null);
  const least = numberOr(objectOr(params['rule'])['at_least'], 1);
  const timing = { durationMs: 0, sideEffects: 'none', evidenceFails: null };
  if (returned.length === 0)
    return { ...timing, outcome: { ok: false, failure: { reason: 'precondition_failed', details: {} } } };
  let yes = 0;
  const lines: string[] = [];
  for (const { node, signal } of returned) {
    const counted = NO_VERDICT.includes(signal) ? instead : signal;
    if (counted === wanted) yes += 1;
    lines.push(counted === signal ? `${node}: ${signal}` : `${node}: ${signal}, counted as ${counted}`);
  }
  const passes = rule === null ? yes >= least : PASSES[rule]?.(yes, returned.length - yes) === true;
  const signal = passes ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE';
  const shown = rule ?? `at least ${String(least)}`;
  const first = `Verdict ${signal}: ${String(yes)} of ${String(returned.length)} returned ${wanted}; the rule is "${shown}".`;
  const append = [{ type: 'VERDICT', content: [first, ...lines].join('\n') }];
  return {
    ...timing,
    outcome: { ok: true, result: { signal, byEngine: false, append, payload: null, exports: new Map() } },
  };
};
