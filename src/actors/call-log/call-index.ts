import { readIfThere, writeFully } from '#io/files/durable-file.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { INDEX, type LogPlace, pathOf } from './call-files.ts';
import { isSummary } from './call-shape.ts';

// The call files are authoritative; the index only avoids reading all of them. A call that is missing in the index is
// read from its file, and a line without a file is ignored.

const encoder = new TextEncoder();

/** Appends lines to the index. A line torn by a crash is ended first. */
export function appendToIndex(place: LogPlace, summaries: readonly CallSummary[]): void {
  if (summaries.length === 0) return;
  const { calls } = place;
  const descriptor = calls.open(pathOf(place, INDEX), 'a');
  try {
    const lines = summaries.map((summary) => `\n${JSON.stringify(summary)}`);
    writeFully(calls, descriptor, encoder.encode(lines.join('')));
  } finally {
    calls.close(descriptor);
  }
}

interface IndexWriter {
  add(summary: CallSummary): void;
  close(): void;
}

/** The number of lines to buffer before a write. Lines lost in a crash are read from the call files instead. */
const AT_ONCE = 32;

/** Buffers lines, for writers of many calls. */
export function indexWriter(place: LogPlace): IndexWriter {
  let waiting: CallSummary[] = [];
  const write = (): void => {
    const summaries = waiting;
    waiting = [];
    appendToIndex(place, summaries);
  };
  return {
    add: (summary) => {
      waiting.push(summary);
      if (waiting.length >= AT_ONCE) write();
    },
    close: write,
  };
}

/** Reads the index and returns its summaries by file name. */
export function readIndex(place: LogPlace): ReadonlyMap<string, CallSummary> {
  const bytes = readIfThere(place.calls, pathOf(place, INDEX));
  const known = new Map<string, CallSummary>();
  if (bytes === null) return known;
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const value = line === '' ? null : parseJsonObject(line);
    if (isSummary(value)) {
      const summary = value as unknown as CallSummary;
      known.set(summary.file, summary);
    }
  }
  return known;
}
