import path from 'node:path';
import { crc32 } from 'node:zlib';
import { readState, runFolder, summarise, type Place } from '#actors/journal/index.ts';
import { listIfThere } from '#io/files/durable-file.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { FrameSummary } from '#protocol/run-summary.ts';

const fail = (what: string): never => {
  throw new RangeError(what);
};

const same = (name: string, state: unknown, journal: unknown): void => {
  if (JSON.stringify(state) !== JSON.stringify(journal))
    fail(`${name} says ${JSON.stringify(state)}\nits journal says ${JSON.stringify(journal)}`);
};

const SEALED = /^(.*),"crc":"([0-9a-f]{8})"\}\n$/s;

type FrameState = FrameSummary & { readonly journal: { readonly lines: number } };

function readFrame({ calls, folder }: Place, run: RunId, name: string): FrameState | null {
  const text = Buffer.from(calls.read(path.join(runFolder(folder, run), name))).toString();
  const [, body = '', crc = ''] = SEALED.exec(text) ?? [];
  return crc32(body).toString(16).padStart(8, '0') === crc ? (JSON.parse(`${body}}`) as FrameState) : null;
}

/**
 * Checks that each readable state file equals the summary of a prefix of the journal, and claims no lines that the
 * journal lacks.
 */
export function checkStates(place: Place, run: RunId, entries: readonly JournalEntry[]): void {
  const at = (name: string, lines: number) => {
    if (lines > entries.length) fail(`${name} claims ${lines} lines of ${entries.length}`);
    return summarise(entries.slice(0, lines));
  };
  const root = readState(place, run);
  if (root !== null) same(`the state file of ${run}`, root.summary, at('the state file', root.journal.lines));
  for (const name of listIfThere(place.calls, runFolder(place.folder, run))) {
    const state = name.includes('#') && name.endsWith('.json') ? readFrame(place, run, name) : null;
    if (state === null) continue;
    const { frame, node, block, children } = state;
    const stored = at(name, state.journal.lines)?.frames.find((one) => one.frame === frame);
    same(name, { frame, node, block, children }, stored);
  }
}
