import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Atom, Rule } from '#protocol/rule.ts';

// Happenings of the workflows of random-workflow.ts, written apart from the compiler's.

export type Moment =
  | { readonly kind: 'approval' | 'execution'; readonly block: GraphBlock }
  | { readonly kind: 'end'; readonly block: GraphBlock; readonly signal: string }
  | { readonly kind: 'merged' };

const MANUAL = 'Internal:ManualIntervention';

function happens(atom: Atom, moment: Moment): boolean {
  if (moment.kind === 'merged') return atom.kind === 'merge';
  const { block } = moment;
  if (moment.kind === 'approval') return atom.kind === 'person';
  if (moment.kind === 'end') {
    const { signal } = moment;
    if (atom.kind === 'signal') return atom.block === block.id && atom.signal === signal;
    if (signal !== 'SIGNAL:SUCCESS') return false;
    if (atom.kind === 'person') return block.worker === MANUAL;
    return atom.kind === 'check' && (block.worker === 'Internal:TestRunner' || block.evidence.length > 0);
  }
  switch (atom.kind) {
    case 'block':
      return atom.block === block.id;
    case 'node':
      return atom.node === block.node;
    case 'worker':
      return atom.worker === block.worker;
    case 'changes':
      return block.worker === 'Worker:Coder';
    case 'push':
      return block.worker === 'Internal:PullRequest';
    default:
      return false;
  }
}

/** The state of a rule with one required atom: true if the next check of it breaks the rule. */
export const firstState = ({ kind }: Rule): boolean => kind !== 'after';

/** Returns the state after a moment; null if the rule is broken. */
export function watch(rule: Rule, isBad: boolean, moment: Moment): boolean | null {
  if (rule.kind === 'bound') throw new Error('no rule about paths');
  const good = rule.kind === 'never' ? rule.unless : rule.require[0];
  const check = rule.kind === 'after' ? rule.until : rule.target;
  if (happens(check, moment) && isBad) return null;
  if (good !== null && good !== undefined && happens(good, moment)) return false;
  if (rule.kind === 'after' && happens(rule.trigger, moment)) return true;
  const isChange = moment.kind === 'execution' && moment.block.worker === 'Worker:Coder';
  return rule.kind === 'before' && rule.fresh && isChange ? true : isBad;
}

/** Returns the moments of a run, from its path. */
function momentsOf(graph: Graph, { path, success }: Response): readonly Moment[] {
  const blocks = new Map(graph.nodes.flatMap((node) => node.blocks).map((block) => [block.id, block]));
  const attempts = new Map<string, number>();
  const moments = path.flatMap((entry): readonly Moment[] => {
    const block = blocks.get(entry.block);
    if (block === undefined) throw new Error('no block');
    const visit = `${entry.frame} ${entry.block} ${entry.visit}`;
    const earlier = attempts.get(visit);
    attempts.set(visit, entry.attempts);
    const isExecuted =
      block.worker === MANUAL
        ? entry.signal !== null && entry.signal !== 'SIGNAL:ERROR'
        : entry.attempts > (earlier ?? 0);
    if (!isExecuted) return [];
    return [
      ...(block.gate && earlier === undefined ? [{ kind: 'approval', block } as const] : []),
      { kind: 'execution', block },
      ...(entry.signal === null ? [] : [{ kind: 'end', block, signal: entry.signal } as const]),
    ];
  });
  return success ? [...moments, { kind: 'merged' }] : moments;
}

/** Returns whether a run breaks a rule with one required atom. */
export function breaks(rule: Rule, graph: Graph, response: Response): boolean {
  let isBad = firstState(rule);
  for (const moment of momentsOf(graph, response)) {
    const next = watch(rule, isBad, moment);
    if (next === null) return true;
    isBad = next;
  }
  return false;
}
