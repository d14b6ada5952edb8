import type { Numbered, Of } from './operation.ts';
import { withLastBreak } from './placed.ts';

const isAppend = (operation: Numbered): operation is Numbered<Of<'append'>> => operation.op === 'append';

export interface Joined {
  readonly operations: readonly Numbered[];
  /** How many of the list's operations an operation stands for. */
  readonly countOf: (number: number) => number;
}

/** Several appends to one file as one, in the order of the list: the order stays visible, as nothing comes between them. */
export function joinAppends(operations: readonly Numbered[]): Joined {
  const appends = operations.filter(isAppend);
  const [first, ...others] = appends;
  if (first === undefined || others.length === 0) return { operations, countOf: () => 1 };
  const content = others.reduce((before, next) => withLastBreak(before) + next.content, first.content);
  const kept = operations.filter((one) => !isAppend(one) || one === first);
  return {
    operations: kept.map((one) => (one === first ? { ...first, content } : one)),
    countOf: (number) => (number === first.number ? appends.length : 1),
  };
}
