import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { findLines } from '#actors/journal/find-lines.ts';
import { chainStart, sealLine } from '#actors/journal/journal-line.ts';
import { readSharedLog, type SharedLines } from '#actors/journal/shared-log.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';

const RUN = 'r000000000001' as RunId;
const OTHER = 'r000000000002';
const SECTOR = 512;

const entry = (length: number, first = false): JournalEntry =>
  (first
    ? { type: 'run', run: RUN, version: 1, directory: 'x'.repeat(length) }
    : { type: 'open', at: 0, why: 'x'.repeat(length) }) as unknown as JournalEntry;

/**
 * Returns five lines. When the last two were written, the first three were already safe: one in the journal and two in
 * the shared log.
 */
function lines(): readonly string[] {
  let end = chainStart(RUN);
  return [400, 900, 300, 200, 200].map((length, index) => {
    const line = sealLine(entry(length, index === 0), end, [0, 1, 1, 3, 3][index]);
    end = line.end;
    return line.text;
  });
}

const headOf = (number: number, run: string): string => {
  const head = `${number} ${run}`;
  return `${head} ${crc32(head).toString(16).padStart(8, '0')} `;
};

const sharedLog = (texts: readonly string[]): SharedLines =>
  readSharedLog(Buffer.from(texts.map((text, index) => `${headOf(index + 1, RUN)}${text}`).join('')));

/** Returns the texts as bytes with a lost sector in the middle of the second line. */
function torn(texts: readonly string[]): Buffer {
  const bytes = Buffer.from(texts.join(''));
  expect(bytes.subarray(SECTOR, 2 * SECTOR).includes('\n')).toBe(false);
  bytes.fill(0, SECTOR, 2 * SECTOR);
  return bytes;
}

test('what a power loss tore in the journal is put back from the shared log, and what nobody was told of is left out', () => {
  verifies('engine.journal.torn-line');
  const texts = lines();
  const result = findLines(RUN, torn(texts), sharedLog(texts.slice(1, 3)));
  expect(result).toMatchObject({ ok: true, found: { entries: { length: 3 }, missing: { length: 2 } } });
});

test('where the shared log has less than was safe, it is damage', () => {
  verifies('engine.journal.torn-line');
  const texts = lines();
  expect(findLines(RUN, torn(texts), sharedLog(texts.slice(1, 2)))).toMatchObject({ ok: false, damage: { line: 2 } });
  expect(findLines(RUN, torn(texts), sharedLog([]))).toMatchObject({ ok: false, damage: { line: 2 } });
});

test('a hole that joins the line of one run with the end of another: what that knows as safe is not of this run', () => {
  verifies('engine.journal.torn-line');
  const texts = lines();
  // The shared log contains this run's second line, which was never reported as safe, and then a line of another run
  // with sixty safe lines.
  const other = sealLine(entry(700), { lines: 60, crc: 1 }).text;
  const bytes = Buffer.from(`${headOf(1, RUN)}${texts[1] ?? ''}${headOf(2, OTHER)}${other}`);
  const joint = bytes.indexOf('\n');
  const from = Math.floor(joint / SECTOR) * SECTOR;
  bytes.fill(0, from, from + SECTOR);
  expect([joint < from + SECTOR, bytes.includes(OTHER)]).toEqual([true, false]);
  const result = findLines(RUN, Buffer.from(texts[0] ?? ''), readSharedLog(bytes));
  expect(result).toMatchObject({ ok: true, found: { entries: { length: 1 }, missing: { length: 0 } } });
});

/**
 * Builds a shared log in which the second line (of `RUN`) begins `visible` bytes before a lost sector, and the third
 * line (of another run) ends after that sector.
 */
function joined(second: string, third: string, visible: number): Buffer {
  const head = headOf(2, RUN);
  const pad = (length: number): string => `${headOf(1, OTHER)}${sealLine(entry(length), { lines: 0, crc: 1 }).text}`;
  const first = pad(SECTOR - pad(0).length - head.length - visible);
  const bytes = Buffer.from(`${first}${head}${second}${headOf(3, OTHER)}${third}`);
  bytes.fill(0, SECTOR, 2 * SECTOR);
  const text = bytes.toString('latin1');
  expect(text.indexOf('\0') - text.indexOf(head)).toBe(head.length + visible);
  expect([text.includes(headOf(3, OTHER)), text.endsWith(third.slice(-40))]).toEqual([false, true]);
  return bytes;
}

test.each([
  ['before its number is whole', 4, 6],
  ['after its number, which is greater than the count of safe lines at the end', 24, 4],
])('a line that a torn write cut %s makes no claim with the end of another line', (_, visible, safe) => {
  verifies('engine.journal.torn-line');
  const texts = lines();
  const tail = sealLine(entry(SECTOR), { lines: safe, crc: 1 }).text;
  // Two lines of the run are left. Its fifth line was written together with the third and the fourth, which are lost.
  const shared = readSharedLog(joined(texts[4] ?? '', tail, visible));
  expect(shared.isTorn()).toBe(true);
  const result = findLines(RUN, Buffer.from(texts.slice(0, 2).join('')), shared);
  expect(result).toMatchObject({ ok: true, found: { entries: { length: 2 }, missing: { length: 0 } } });
});

test('a line with a lost sector claims what its own end says if the next line has the next number', () => {
  verifies('engine.journal.torn-line');
  const texts = lines();
  const long = sealLine(entry(3 * SECTOR), { lines: 4, crc: 1 }).text;
  const bytes = Buffer.from(`${headOf(1, RUN)}${long}${headOf(2, OTHER)}${texts[1] ?? ''}`);
  bytes.fill(0, SECTOR, 2 * SECTOR);
  const result = findLines(RUN, Buffer.from(texts.slice(0, 2).join('')), readSharedLog(bytes));
  expect(result).toMatchObject({ ok: false, damage: { line: 3 } });
});
