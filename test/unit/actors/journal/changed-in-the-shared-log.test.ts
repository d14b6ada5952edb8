import { expect, test } from 'vitest';
import { hex, shortCrc } from '#actors/journal/checksum.ts';
import { findLines } from '#actors/journal/find-lines.ts';
import { linesOf } from '#actors/journal/lines-of.ts';
import { readSharedLog } from '#actors/journal/shared-log.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { headerOf, sealedJournal } from '../../../support/sealed-journal.ts';

const RUN = 'ra1' as RunId;
const stop: JournalEntry = { type: 'stop', how: 'interrupted', at: 3 };
const ENTRIES = [headerOf(RUN), ...Array.from({ length: 13 }, () => stop)];
const LINES = linesOf(Buffer.from(sealedJournal(RUN, ENTRIES)));

/** Returns all lines that differ from this one in exactly one bit. */
const changed = (line: Buffer): readonly Buffer[] =>
  Array.from({ length: line.length * 8 }, (_, bit) => {
    const other = Buffer.from(line);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return other;
  });

/**
 * Reads a run whose own journal file has `inFile` lines, and whose shared log has the lines from index `from` on, with
 * the last one replaced.
 */
function entriesWith(last: Buffer, inFile: number, from: number): readonly JournalEntry[] | null {
  const file = Buffer.concat(LINES.slice(0, inFile).flatMap((line) => [line, Buffer.from('\n')]));
  const shared = [...LINES.slice(from, -1), last];
  const result = findLines(RUN, file, { lines: new Map([[RUN, shared]]), damagedAt: null, isTorn: () => false });
  return result.ok ? result.found.entries : null;
}

test.each([
  [0, 0],
  [9, 9],
  [9, 3],
  [13, 13],
  [13, 5],
])(
  'of %i lines in the file and those from %i on in the shared log, the last is not lost by a changed bit',
  (inFile, from) => {
    verifies('engine.journal.group-commit');
    const whole = LINES.at(-1) ?? Buffer.of();
    expect(entriesWith(whole, inFile, from)).toEqual(ENTRIES);
    for (const last of changed(whole)) expect(entriesWith(last, inFile, from), last.toString('latin1')).toBeNull();
  },
);

test('a changed bit in the head of a line is damage, also where it makes the checksum a part of the name of another run', () => {
  verifies('engine.journal.group-commit');
  const headed = (number: number, run: string): Buffer =>
    Buffer.from(`${number} ${run} ${hex(shortCrc(`${number} ${run}`))} `);
  const [before, head, after] = [headed(1, 'ra1'), headed(2, 'rb1'), headed(3, 'ra1')];
  const logOf = (middle: Buffer): Buffer =>
    Buffer.concat([before, middle, after].flatMap((one) => [one, Buffer.from('{}\n')]));
  expect(readSharedLog(logOf(head)).damagedAt).toBeNull();
  const heads = changed(head);
  expect(heads.map(String)).toContainEqual(expect.stringMatching(/^2 rb10[0-9a-f]{8} $/));
  for (const other of heads) expect(readSharedLog(logOf(other)).damagedAt, String(other)).toBe(2);
});

test('a log of the first version has no checksums', () => {
  const { lines, damagedAt } = readSharedLog(Buffer.from('1 ra1 {}\n2 rb1 {}\n'));
  expect([[...lines.keys()], damagedAt]).toEqual([['ra1', 'rb1'], null]);
});
