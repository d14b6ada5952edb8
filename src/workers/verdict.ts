import type { Signal } from '#protocol/id.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Returned } from '#protocol/payload.ts';
import { ERROR, FAILURE, isSignal, NO_SIGNAL, SUCCESS, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { preconditionFailed } from '#protocol/error.ts';

type Rule = 'all' | 'any' | 'majority' | { readonly at_least: number };

interface Settings {
  readonly rule: Rule;
  readonly signal: Signal;
  readonly failedAs: Signal;
}

const NAMED: readonly Rule[] = ['all', 'any', 'majority'];

function ruleOf(value: JsonValue | undefined): Rule | null {
  const named = NAMED.find((rule) => rule === value);
  if (named !== undefined) return named;
  const least = typeof value === 'object' && value !== null ? (value as JsonObject)['at_least'] : undefined;
  return typeof least === 'number' && Number.isInteger(least) && least >= 1 ? { at_least: least } : null;
}

/**
 * Reads and checks a block's settings. The compiler makes the same checks, but the block may come from a manifest that
 * was not compiled.
 */
function settingsOf({ rule: written, signal = SUCCESS, failed_as = FAILURE }: JsonObject, block: string): Settings {
  const rule = ruleOf(written);
  if (rule === null) throw preconditionFailed(`${block}: "rule" must be "all", "any", "majority" or { "at_least": n }`);
  if (!isSignal(signal) || !isSignal(failed_as))
    throw preconditionFailed(`${block}: "signal" or "failed_as" is not a signal`);
  return { rule, signal, failedAs: failed_as };
}

/** Signals of children that returned no verdict. They count as `failed_as`. */
const WITHOUT_VERDICT: ReadonlySet<Signal> = new Set([ERROR, TIMEOUT, VALIDATION_FAIL, NO_SIGNAL]);

interface Vote extends Pick<Returned, 'node' | 'signal'> {
  readonly counted: Signal;
}

const voteOf =
  ({ failedAs }: Settings) =>
  ({ node, signal }: Returned): Vote => ({
    node,
    signal,
    counted: WITHOUT_VERDICT.has(signal) ? failedAs : signal,
  });

function holds(rule: Rule, count: number, all: number): boolean {
  switch (rule) {
    case 'all':
      return count === all;
    case 'any':
      return count > 0;
    case 'majority':
      return count * 2 > all;
    default:
      return count >= rule.at_least;
  }
}

const ruleText = (rule: Rule): string => (typeof rule === 'string' ? rule : `at least ${rule.at_least}`);

const lineOf = ({ node, signal, counted }: Vote): string =>
  `${node}: ${signal}${counted === signal ? '' : `, counted as ${counted}`}`;

function verdictOn(returned: readonly Returned[], settings: Settings): WorkerResult {
  const { rule, signal } = settings;
  const votes = returned.map(voteOf(settings));
  const count = votes.filter(({ counted }) => counted === signal).length;
  const verdict = holds(rule, count, votes.length) ? SUCCESS : FAILURE;
  const summary = `Verdict ${verdict}: ${count} of ${votes.length} returned ${signal}; the rule is "${ruleText(rule)}".`;
  return {
    signal: verdict,
    append: [
      {
        type: 'VERDICT',
        content: [summary, ...votes.map(lineOf)].join('\n'),
        meta: { rule, signal, count, of: votes.length },
      },
    ],
  };
}

/**
 * The worker `Internal:Verdict`. It counts how many children of the frame's last CALL or FORK returned a certain
 * signal, and returns SUCCESS or FAILURE according to the rule in `params`. Throws `precondition_failed` if the frame
 * has made no CALL or FORK yet.
 */
export const verdictWorker: Worker = {
  sideEffects: 'none',
  pure: true,
  execute: ({ returned }, { block }) =>
    Promise.resolve(block).then(({ id, params }) => {
      const settings = settingsOf(params, id);
      if (returned.length === 0)
        throw preconditionFailed(`${id}: there is nothing to count, because this frame has had no CALL or FORK`);
      return verdictOn(returned, settings);
    }),
};
