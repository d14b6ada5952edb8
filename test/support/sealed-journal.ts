import { chainStart, sealLine } from '#actors/journal/journal-line.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';

/** Returns the journal header of a run without special properties. */
export const headerOf = (run: RunId): HeaderEntry => ({
  type: 'run',
  version: 1,
  run,
  trace: '0',
  at: 1,
  directory: null,
  forkedFrom: null,
  started: {
    start: { node: 'Main' as NodeId },
    input: null,
    stepMode: false,
    source: null,
    script: null,
    scripts: {},
  },
  manifest: { blob: '0', bytes: 0 },
});

/** Returns the text of a journal with these entries and valid checksums, as the engine would write it. */
export function sealedJournal(run: RunId, entries: readonly JournalEntry[]): string {
  let end = chainStart(run);
  const lines = entries.map((entry) => {
    const line = sealLine(entry, end);
    end = line.end;
    return line.text;
  });
  return lines.join('');
}
