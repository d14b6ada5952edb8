import type { Numbered, OperationOf } from './operation.ts';
import { withLastBreak } from './placed.ts';

const isAppend = (operation: Numbered): operation is Numbered<OperationOf<'append'>> => operation.op === 'append';

interface Joined {
  readonly operations: readonly Numbered[];
  /** Returns how many operations of the original list were merged into the operation with this number. */
  readonly countOf: (number: number) => number;
}

/** Merges all appends to a file into one operation, in the order of the list. */
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
