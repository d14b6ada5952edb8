import { listIfThere, readIfThere, removeIfThere, replaceCache, writeFully } from '#io/durable-file.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import { callFiles, callOf, type LogPlace, nameOf, pathOf } from './call-files.ts';

// A call under way has a file that says how it would stand in the log if its process died now. Nothing reads it but the next owner.

const SUFFIX = '.open';

const encoder = new TextEncoder();

const openName = (file: string): string => file.replace(/\.json$/, SUFFIX);

export interface OpenCall {
  /** With all attempts so far, the last of them broken off. */
  note(record: CallRecord): void;
  /** It has ended, and is in the log or need not be. */
  close(): void;
}

/** Throws nothing: a call does not fail for its log. */
export function openCall(place: LogPlace, redact: (text: string) => string): OpenCall {
  let file: string | null = null;
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch {
      // Without it a crash leaves nothing of this call, and all else is as it was.
    }
  };
  return {
    note: (record) =>
      quietly(() => {
        const bytes = encoder.encode(`${redact(JSON.stringify(record))}\n`);
        if (file !== null) return replaceCache(place.calls, file, bytes);
        place.calls.makeFolder(place.folder);
        file = pathOf(place, openName(nameOf(record.call, record.started_at)));
        // To look first whether it is there would take as long as to make it.
        const descriptor = place.calls.open(file, 'wx');
        try {
          writeFully(place.calls, descriptor, bytes);
        } finally {
          place.calls.close(descriptor);
        }
      }),
    close: () =>
      quietly(() => {
        if (file !== null) removeIfThere(place.calls, file);
      }),
  };
}

const isWhole = (bytes: Uint8Array | null): boolean =>
  bytes !== null && parseJsonObject(new TextDecoder().decode(bytes)) !== null;

/** An answer that was written, and not yet placed under its name, has been paid for. */
function placeWritten(place: LogPlace, name: string): void {
  const file = name.replace(/\.[^.]+\.tmp$/, '');
  if (file === name || callOf(file) === null) return;
  // What is torn is swept when the log is pruned.
  if (isWhole(readIfThere(place.calls, pathOf(place, name))))
    place.calls.rename(pathOf(place, name), pathOf(place, file));
}

/** After a crash: calls that its process broke off stand in the log as that. */
export function takeOverOpenCalls(place: LogPlace): void {
  const names = listIfThere(place.calls, place.folder);
  for (const name of names) placeWritten(place, name);
  const logged = new Set(callFiles(place).map(callOf));
  for (const name of names) {
    if (!name.endsWith(SUFFIX)) continue;
    const file = `${name.slice(0, -SUFFIX.length)}.json`;
    const call = callOf(file);
    if (call === null) continue;
    // One that is in the log had ended: only its file was still there.
    const isLost = !logged.has(call) && isWhole(readIfThere(place.calls, pathOf(place, name)));
    if (isLost) place.calls.rename(pathOf(place, name), pathOf(place, file));
    else removeIfThere(place.calls, pathOf(place, name));
  }
}
