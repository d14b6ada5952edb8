import { chainStart, sealLine } from '#actors/journal/journal-line.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';

/** The first line of a run that has nothing special. */
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

/** A journal's text with these entries, sealed as if the engine had written them. */
export function sealedJournal(run: RunId, entries: readonly JournalEntry[]): string {
  let end = chainStart(run);
  const lines = entries.map((entry) => {
    const line = sealLine(entry, end);
    end = line.end;
    return line.text;
  });
  return lines.join('');
}
