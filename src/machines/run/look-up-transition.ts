import { messageOf } from '#protocol/message-of.ts';
import type { ConditionFacts, Conditions } from '#protocol/condition.ts';
import type { GraphBlock, Transition } from '#protocol/graph.ts';
import type { Signal } from '#protocol/id.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';

export type LookUp =
  | { readonly kind: 'matched'; readonly transition: Transition; readonly via: 'match' | 'default' }
  /** The block has no transitions at all. */
  | { readonly kind: 'no_table' }
  | { readonly kind: 'no_match' }
  | { readonly kind: 'condition_threw'; readonly condition: string; readonly row: number; readonly message: string };

function firstOf(
  block: GraphBlock,
  signal: Signal,
  facts: () => ConditionFacts,
  conditions: Conditions,
): Transition | LookUp | null {
  for (const transition of block.transitions) {
    if (transition.signal !== signal) continue;
    const { condition } = transition;
    if (condition === null) return transition;
    try {
      const holds = conditions.get(condition.id);
      if (holds === undefined) throw new RangeError(`the condition "${condition.id}" is not registered`);
      const held: unknown = holds(facts(), condition.args);
      if (typeof held !== 'boolean')
        throw new TypeError(`the condition "${condition.id}" gave ${typeof held}, not true or false`);
      if (held) return transition;
    } catch (thrown) {
      return { kind: 'condition_threw', condition: condition.id, row: transition.row, message: messageOf(thrown) };
    }
  }
  return null;
}

/**
 * Looks up the transition for a signal: first an exact row, then `SIGNAL:FAIL_DEFAULT`, each the first match in
 * written order.
 */
export function lookUpTransition(
  block: GraphBlock,
  signal: Signal,
  facts: () => ConditionFacts,
  conditions: Conditions,
): LookUp {
  if (block.transitions.length === 0) return { kind: 'no_table' };
  const exact = firstOf(block, signal, facts, conditions);
  const found = exact ?? firstOf(block, FAIL_DEFAULT, facts, conditions);
  if (found === null) return { kind: 'no_match' };
  if ('kind' in found) return found;
  return { kind: 'matched', transition: found, via: exact === null ? 'default' : 'match' };
}
