import { expect, test } from 'vitest';
import { executionId, recoverState } from '#actors/journal/index.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';

const key = (name: string): LocalKey => `/${name}#1` as LocalKey;

const intent = (name: string, snapshot: string | null, sideEffects: SideEffects = 'idempotent'): JournalEntry => ({
  type: 'intent',
  key: key(name),
  attempt: 1,
  worker: 'X',
  sideEffects,
  at: 1,
  ...(snapshot === null ? {} : { snapshot }),
});

const result = (name: string): JournalEntry => ({
  type: 'result',
  key: key(name),
  attempt: 1,
  at: 1,
  stepped: { kind: 'again', after: 'stop' },
});

const snapshotOf = (entries: readonly JournalEntry[], name: string): string | null | undefined =>
  recoverState(entries).unfinished.get(executionId(key(name), 1))?.snapshot;

test('a snapshot is restored only if nobody else has worked on the files since', () => {
  verifies('engine.snapshots.shared');
  const begun = intent('A', 'before');
  expect(snapshotOf([intent('B', 'b'), result('B'), begun], 'A')).toBe('before');
  expect(snapshotOf([begun, intent('Look', null, 'none')], 'A')).toBe('before');
  expect(snapshotOf([begun, intent('Look', null, 'none'), result('Look')], 'A')).toBe('before');
  // In these cases another branch ended after the execution, began before it, or is still executing.
  expect(snapshotOf([begun, intent('B', 'b'), result('B')], 'A')).toBe(null);
  expect(snapshotOf([intent('B', 'b'), begun, result('B')], 'A')).toBe(null);
  expect(snapshotOf([begun, intent('B', 'b')], 'A')).toBe(null);
  expect(snapshotOf([begun, intent('B', 'b')], 'B')).toBe(null);
  expect(snapshotOf([intent('A', null)], 'A')).toBe(null);
});
