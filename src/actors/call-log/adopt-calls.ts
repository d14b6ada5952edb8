import { listIfThere, placeFile, readIfThere, removeIfThere } from '#io/files/durable-file.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import { callFiles, callOf, type LogPlace, nameOf, pathOf } from './call-files.ts';
import { isTime } from './call-shape.ts';
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
function fileOf({ call, started_at: at }: Readonly<Record<string, unknown>>): string | null {
  if (typeof call !== 'string' || !isTime(at)) return null;
  const file = nameOf(call, at);
  return callOf(file) === call ? file : null;
}

/** Returns the last line of each call that has not ended, by the name of the call's log file. */
function unended(bytes: Uint8Array | null): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const lines = new Map<string, string>();
  for (const line of new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')) {
    const value = line === '' ? null : parseJsonObject(line);
    if (value === null) continue;
    const file = fileOf(value);
    const call = value['ended'] ?? value['call'];
    if (typeof call !== 'string') continue;
    const before = files.get(call);
    if (before !== undefined) lines.delete(before);
    if (file === null) continue;
    files.set(call, file);
    lines.set(file, line);
  }
  return lines;
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
    for (const [file, line] of unended(readIfThere(calls, pathOf(place, name))))
      // A logged call has ended, even if the file of open calls does not record its end.
      if (!logged.has(callOf(file)))
        placeFile(calls, pathOf(place, file), new TextEncoder().encode(`${line}\n`), unique);
    removeIfThere(calls, pathOf(place, name));
  }
}
