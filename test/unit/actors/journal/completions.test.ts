import { expect, test } from 'vitest';
import { createCompletions } from '#actors/journal/index.ts';
import { seal } from '#actors/journal/checksum.ts';
import type { RunId } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from '../../engine/durable/memory-files.ts';

const KEY = '/Main__A#1' as LocalKey;
const END = { exitCode: 3, output: 'so far\n', durationMs: 12, bytes: 7 };

const sealed = (record: object): string => Buffer.from(seal(record)).toString();

const place = (files = createMemoryFiles()) => {
  files.calls.makeFolder('/p/.flow/runs/r1');
  const open = () => createCompletions({ calls: files.calls, folder: '/p/.flow' }, 'r1' as RunId);
  const names = () => [...files.contents().keys()].filter((name) => name.includes('/ended.'));
  return { files, open, names };
};

test('is there for whoever comes after, for this execution only, until the journal has it', async () => {
  verifies('workers.contract.completion-record');
  const { open, names } = place();
  open().of(KEY, 2).keep(END);
  const later = open();
  expect(later.of(KEY, 1).recall()).toBe(null);
  expect(later.of('/Main__B#1' as LocalKey, 2).recall()).toBe(null);
  expect(later.of(KEY, 2).recall()).toEqual(END);
  const safe = Promise.withResolvers<undefined>();
  later.forget(KEY, 2, () => safe.promise);
  expect(names()).toHaveLength(1);
  safe.resolve(undefined);
  await safe.promise;
  expect(names()).toEqual([]);
});

test('stays when the journal could not be written', async () => {
  const { open, names } = place();
  const completions = open();
  completions.of(KEY, 1).keep(END);
  const unsafe = Promise.reject(new Error('the disk is full'));
  completions.forget(KEY, 1, () => unsafe);
  await unsafe.catch(() => undefined);
  expect(names()).toHaveLength(1);
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"exitCode":0}',
  '\0'.repeat(40),
  sealed({ id: 'another 1', ...END }),
  sealed({ id: `${KEY} 1`, ...END, exitCode: null }),
  sealed({ id: `${KEY} 1`, ...END, output: 7 }),
  sealed({ id: `${KEY} 1`, ...END }).slice(0, -1),
  JSON.stringify({ id: `${KEY} 1`, ...END }),
])('%j is none', (text) => {
  const { files, open, names } = place();
  open().of(KEY, 1).keep(END);
  files.put(names()[0] ?? '', text);
  expect(open().of(KEY, 1).recall()).toBe(null);
});

test('with any bit changed is none', () => {
  const { files, open, names } = place();
  open().of(KEY, 1).keep(END);
  const [name = ''] = names();
  const whole = Buffer.from(files.contents().get(name) ?? '');
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const changed = Buffer.from(whole);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    files.put(name, changed.toString('latin1'));
    expect(open().of(KEY, 1).recall(), changed.toString('latin1')).toBe(null);
  }
  files.put(name, whole.toString());
  expect(open().of(KEY, 1).recall()).toEqual(END);
});
