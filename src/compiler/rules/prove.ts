import type { Graph } from '#protocol/graph.ts';
import type { Atom, Rule } from '#protocol/rule.ts';
import type { Counterexample, JudgedRule, PathStep, RuleVerdict } from '#protocol/rule-verdict.ts';
import { happensInExecution, manualBlocks } from './happenings.ts';
import { mostVisits } from './most-visits.ts';
import { scriptOf } from './script-of.ts';
import { type Found, type Observer, search, type Uses, usesOf } from './search.ts';
import { buildSystem, type System } from './system.ts';
import { trace } from './trace.ts';

type PathRule = Exclude<Rule, { kind: 'bound' }>;

const atomsOf = (rule: PathRule): readonly Atom[] => {
  switch (rule.kind) {
    case 'before':
      return [rule.target, ...rule.require];
    case 'after':
      return [rule.trigger, rule.until, ...rule.require];
    case 'never':
      return rule.unless === null ? [rule.target] : [rule.target, rule.unless];
  }
};

const CHANGES: Atom = { kind: 'changes', text: 'changes' };

/** Returns what has to be observed for each part of a rule. */
function observersOf(rule: PathRule): readonly Observer[] {
  const ignoresBypass = rule.personMayBypass;
  switch (rule.kind) {
    case 'before': {
      const bad = rule.fresh ? CHANGES : null;
      return rule.require.map((good) => ({ check: rule.target, bad, good, startsBad: true, ignoresBypass }));
    }
    case 'after':
      return rule.require.map((good) => ({
        check: rule.until,
        bad: rule.trigger,
        good,
        startsBad: false,
        ignoresBypass,
      }));
    case 'never':
      return [{ check: rule.target, bad: null, good: rule.unless, startsBad: true, ignoresBypass }];
  }
}

function pathOf({ fact, derivation }: Found, missing: Atom | null, graph: Graph): Counterexample {
  const steps = trace(fact, derivation, manualBlocks(graph));
  const assumes = [...new Set(steps.flatMap((step) => step.assumes))];
  const script = assumes.length > 0 ? null : scriptOf(steps, graph);
  // Without what only the script needs.
  const plain = steps.map(({ block, frame, depth, signal, action, answers }): PathStep => ({
    block,
    frame,
    depth,
    signal,
    action,
    answers,
  }));
  return { missing, steps: plain, script, assumes };
}

function judge(rule: PathRule, system: System, uses: Uses): RuleVerdict {
  let cheapest: { readonly found: Found; readonly missing: Atom | null } | null = null;
  let applies = false;
  for (const observer of observersOf(rule)) {
    const outcome = search(system, uses, observer);
    applies ||= outcome.applies;
    const found = outcome.violation;
    if (found !== null && (cheapest === null || found.cost < cheapest.found.cost))
      cheapest = { found, missing: observer.good };
  }
  if (cheapest !== null) return { kind: 'broken', path: pathOf(cheapest.found, cheapest.missing, system.graph) };
  return applies || (rule.kind === 'never' && rule.unless === null) ? { kind: 'proved' } : { kind: 'unused' };
}

function judgeBound(rule: Extract<Rule, { kind: 'bound' }>, system: System): RuleVerdict {
  const { graph, workers } = system;
  const isTarget = (block: Parameters<typeof happensInExecution>[1]): boolean =>
    happensInExecution(rule.target, block, workers);
  const most = mostVisits(graph, isTarget);
  if (most === 0) return { kind: 'unused' };
  return most <= rule.visits ? { kind: 'proved' } : { kind: 'unproved', most };
}

/**
 * Decides the rules of a graph for all runs that start at its entry node, or at any node if it has none. Conditions may
 * be true or false, except where the row's own signal decides them.
 */
export function proveRules(graph: Graph): readonly JudgedRule[] {
  const { rules = [] } = graph;
  const atoms = rules.flatMap((rule) => (rule.kind === 'bound' ? [] : atomsOf(rule)));
  // Where the project's files were not searched for commands, it is not known which blocks run them.
  const isUnknown = (atom: Atom): boolean => atom.kind === 'check' && !Object.hasOwn(graph.commands, atom.command);
  if (rules.length === 0 || atoms.some(isUnknown)) return [];
  const system = buildSystem(graph, atoms);
  const uses = usesOf(system);
  return rules.map((rule) => ({
    rule,
    verdict: rule.kind === 'bound' ? judgeBound(rule, system) : judge(rule, system, uses),
  }));
}
