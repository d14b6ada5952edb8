import { expect, test } from 'vitest';
import { chainStart, sealLine } from '../../../../src/actors/journal/journal-line.ts';
import { readJournal } from '../../../../src/actors/journal/read-journal.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { verifies } from '../../../e2e/verifies.ts';

const RUN = 'r000000000001' as RunId;
const SECTOR = 512;

const header = (length: number) =>
  ({ type: 'run', run: RUN, version: 1, directory: 'x'.repeat(length) }) as unknown as JournalEntry;
const open: JournalEntry = { type: 'open', at: 0, why: 'after_stop' };

/**
 * Returns a journal of two lines with a torn write: the sector with the end of the second line was written, but the
 * sector before it was not.
 */
function torn(kept: number): Buffer {
  const second = (length: number) => {
    const first = sealLine(header(length), chainStart(RUN), 0);
    return [first.text, sealLine(open, first.end, 1).text] as const;
  };
  const [one, two] = second(0);
  const bytes = Buffer.from(second(SECTOR + kept - one.length - two.length).join(''));
  expect(bytes.length).toBe(SECTOR + kept);
  bytes.fill(0, SECTOR + kept - two.length, SECTOR);
  return bytes;
}

test.each([2, 4, 20])('a last line of which only its last %i bytes reached the disk was told to nobody', (kept) => {
  verifies('engine.journal.torn-line');
  const reading = readJournal(RUN, Buffer.concat([torn(kept), Buffer.alloc(1_000)]));
  expect(reading).toMatchObject({ ok: true, journal: { mend: 'cut', entries: [{ type: 'run' }] } });
});
