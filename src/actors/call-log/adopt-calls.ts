import { listIfThere, placeFile, readIfThere, removeIfThere } from '#io/files/durable-file.ts';
import { type CallProgress, withProgress } from '#logic/calls/make-record.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { callFiles, callOf, type LogPlace, nameOf, pathOf } from './call-files.ts';
import { isCall, isTime } from './call-shape.ts';
import { OPEN } from './open-calls.ts';

const isWhole = (bytes: Uint8Array | null): boolean =>
  bytes !== null && parseJsonObject(new TextDecoder().decode(bytes)) !== null;

/** Moves a complete record to its final name, because its answer was paid for. */
function placeWritten(place: LogPlace, name: string): void {
  const file = name.replace(/\.[^.]+\.tmp$/, '');
  if (file === name || callOf(file) === null) return;
  // Torn files are removed when the log is pruned.
  if (isWhole(readIfThere(place.calls, pathOf(place, name))))
    place.calls.rename(pathOf(place, name), pathOf(place, file));
}

/** Returns the name of a call's file in the log, or null if the data does not describe a call. */
function fileOf({ call, started_at: at }: Fields): string | null {
  if (typeof call !== 'string' || !isTime(at)) return null;
  const file = nameOf(call, at);
  return callOf(file) === call ? file : null;
}

type Fields = Readonly<Record<string, unknown>>;

const isProgress = ({ output, micro_usd: cost }: Fields): boolean =>
  Number.isFinite(output) && (cost === null || Number.isFinite(cost));

/** Returns the record of each call that has not ended, by the name of the call's log file. */
function unended(bytes: Uint8Array | null): ReadonlyMap<string, Fields> {
  const records = new Map<string, Fields>();
  const progress = new Map<string, CallProgress>();
  for (const line of new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')) {
    const value = line === '' ? null : parseJsonObject(line);
    if (value === null) continue;
    const call = value['ended'] ?? value['progress'] ?? value['call'];
    if (typeof call !== 'string') continue;
    if ('progress' in value) {
      if (isProgress(value)) progress.set(call, value as unknown as CallProgress);
      continue;
    }
    progress.delete(call);
    if ('ended' in value || fileOf(value) === null) records.delete(call);
    else records.set(call, value);
  }
  return new Map(
    [...records].map(([call, value]) => {
      const seen = progress.get(call);
      const record = seen === undefined || !isCall(value) ? value : withProgress(value as unknown as CallRecord, seen);
      return [fileOf(value) ?? '', record as unknown as Fields];
    }),
  );
}

/** Returns the calls that have not ended: they are active, or their engine was killed and no other has started since. */
export function openRecords(place: LogPlace): readonly CallRecord[] {
  const logged = new Set(callFiles(place).map(callOf));
  return listIfThere(place.calls, place.folder)
    .filter((name) => name.endsWith(OPEN))
    .flatMap((name) => [...unended(readIfThere(place.calls, pathOf(place, name))).values()])
    .filter((record) => isCall(record) && !logged.has(record['call'] as string))
    .map((record) => record as unknown as CallRecord);
}

/** Adds calls that a crash interrupted to the log. `unique` is used in the names of temporary files. */
export function takeOverOpenCalls(place: LogPlace, unique: string): void {
  const { calls, folder } = place;
  const names = listIfThere(calls, folder).filter((name) => name.endsWith(OPEN) || name.endsWith('.tmp'));
  if (names.length === 0) return;
  for (const name of names) placeWritten(place, name);
  const logged = new Set(callFiles(place).map(callOf));
  for (const name of names) {
    if (!name.endsWith(OPEN)) continue;
    for (const [file, record] of unended(readIfThere(calls, pathOf(place, name))))
      // A logged call has ended, even if the file of open calls does not record its end.
      if (!logged.has(callOf(file)))
        placeFile(calls, pathOf(place, file), new TextEncoder().encode(`${JSON.stringify(record)}\n`), unique);
    removeIfThere(calls, pathOf(place, name));
  }
}
