import { inFolder, removeIfThere, writeFully } from '#io/files/durable-file.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';
import { safeText } from './safe-text.ts';

// Calls under way have a file together: a line says how one of them would stand in the log if its process died now, another that it has
// ended. Nothing reads it but the next owner. A file for each of them would cost more than all else that is done for a call.

export const OPEN = '.open';

/** Past it another file is begun; this one goes when all its calls have ended. */
const FULL_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

export interface CallsUnderWay {
  /** With all attempts so far, the last of them broken off. */
  note(record: CallRecord): void;
  /** It has ended, and is in the log or need not be. */
  end(call: string): void;
  /** Calls that have not ended keep their files until they have. */
  close(): void;
}

interface Part {
  readonly path: string;
  readonly descriptor: number;
  readonly calls: Set<string>;
  size: number;
  full: boolean;
}

/** Throws nothing: a call does not fail for its log. Without it a crash leaves nothing of a call, and all else is as it was. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}

export function callsUnderWay({ calls, folder }: LogPlace, redact: (text: string) => string): CallsUnderWay {
  let newest: Part | null = null;
  let closed = false;
  const partOf = new Map<string, Part>();

  const begin = ({ call, started_at: at }: CallRecord): Part => {
    const path = pathOf({ calls, folder }, nameOf(call, at).replace(/\.json$/, OPEN));
    const descriptor = inFolder(calls, folder, () => calls.open(path, 'wx'));
    return { path, descriptor, calls: new Set(), size: 0, full: false };
  };

  /** What a write that failed has left of a line is ended first. */
  const write = (part: Part, text: string): void => {
    const bytes = encoder.encode(`\n${text}`);
    part.size += bytes.length;
    part.full ||= part.size > FULL_BYTES;
    writeFully(calls, part.descriptor, bytes);
  };

  const removeWhenDone = (part: Part): void => {
    if (part.calls.size > 0 || !(part.full || closed)) return;
    if (newest === part) newest = null;
    calls.close(part.descriptor);
    removeIfThere(calls, part.path);
  };

  return {
    note: (record) =>
      quietly(() => {
        const { call } = record;
        const text = safeText(record, redact);
        const known = partOf.get(call);
        if (known === undefined && (newest === null || newest.full)) newest = begin(record);
        const part = known ?? newest;
        if (part === null) return;
        partOf.set(call, part);
        part.calls.add(call);
        write(part, text);
      }),
    end: (call) =>
      quietly(() => {
        const part = partOf.get(call);
        if (part === undefined) return;
        partOf.delete(call);
        part.calls.delete(call);
        try {
          write(part, JSON.stringify({ ended: call }));
        } finally {
          removeWhenDone(part);
        }
      }),
    close: () =>
      quietly(() => {
        closed = true;
        if (newest !== null) removeWhenDone(newest);
      }),
  };
}
