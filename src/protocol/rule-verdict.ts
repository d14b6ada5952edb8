import type { Count } from './count.ts';
import type { BlockId, Signal } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Atom, Rule } from './rule.ts';
import type { ScriptedAnswer } from './script.ts';

/**
 * One step of a path through the graph: a block is executed and a row is found for its signal, or a person leaves the
 * block before it is executed.
 */
export interface PathStep {
  readonly block: BlockId;
  /** The frame path, as in the path of a Response. */
  readonly frame: string;
  readonly depth: Count;
  /** Null if the block was not executed, or if the path ends while it executes. */
  readonly signal: Signal | null;
  /** The action in its normal form; null if none is taken. */
  readonly action: string | null;
  /** What persons answer at this step, in order. */
  readonly answers: readonly ScriptedAnswer[];
}

/** A path that breaks a rule. */
export interface Counterexample {
  /** The part of `require`, or `unless`, that has not happened on the path; null if the rule has none. */
  readonly missing: Atom | null;
  readonly steps: readonly PathStep[];
  /** The content of a script with which `simulate` runs the path; null if no script can. */
  readonly script: JsonObject | null;
  /** Conditions and limits that the path takes for granted, although a run may decide them otherwise at that point. */
  readonly assumes: readonly string[];
}

/** The answer to a rule. */
export type RuleVerdict =
  | { readonly kind: 'proved' }
  /** No run does what the rule is about. */
  | { readonly kind: 'unused' }
  | { readonly kind: 'broken'; readonly path: Counterexample }
  /** A bound that conditions and limits do not ensure, although no path exceeds it. `most`: what they permit. */
  | { readonly kind: 'unproved'; readonly most: Count };

export interface JudgedRule {
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
}

const bare = (signal: string): string => signal.replace('SIGNAL:', '');

/** Describes one step of a path in words. */
export function stepText({ block, signal, action, answers }: PathStep): string {
  const persons = answers.map(({ answer, to }) => (to === undefined ? answer : `${answer} ${to}`)).join(', ');
  const ends = signal === null ? '' : ` (${bare(signal)}${action === null ? '' : `, ${action}`})`;
  return `${block}${ends}${persons === '' ? '' : ` [person: ${persons}]`}`;
}

/** The steps of a long path that its description shows, at its beginning and at its end. */
const [FIRST, LAST] = [4, 8] as const;

/** Describes a path in one line. */
export function pathText({ steps, missing }: Counterexample): string {
  const left = steps.length - FIRST - LAST;
  const shown = steps.map(stepText);
  const texts = left > 1 ? [...shown.slice(0, FIRST), `… ${left} steps …`, ...shown.slice(-LAST)] : shown;
  return `${texts.join(' → ')}${missing === null ? '' : `, without ${missing.text}`}`;
}
