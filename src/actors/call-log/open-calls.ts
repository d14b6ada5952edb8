import { inFolder, removeIfThere, writeFully } from '#io/files/durable-file.ts';
import type { CallProgress } from '#logic/calls/make-record.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { type LogPlace, nameOf, pathOf } from './call-files.ts';
import { safeText } from './write-call.ts';

// The prefix of the files that record unfinished calls. Many calls share a file, because one file per call would cost
// more than all other work for the call. One line of a call holds the record to log if the process dies now, later lines
// hold the output that has arrived and mark the call as ended. The next owner of the engine adds the calls to the log.

export const OPEN = '.open';

/** The size at which a new file is started. A file is removed when all its calls have ended. */
const FULL_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

interface OpenCalls {
  /** Records all attempts so far. The last attempt is recorded as interrupted, in case the process dies. */
  note(record: CallRecord): void;
  /** Records the output of the last attempt that has arrived so far. */
  progress(call: string, progress: CallProgress): void;
  /** Records the end of a call that was logged or need not be logged. */
  end(call: string): void;
  /** Closes the files. Files of unfinished calls stay open until the calls have ended. */
  close(): void;
}

interface LogPart {
  readonly path: string;
  readonly descriptor: number;
  readonly calls: Set<string>;
  size: number;
  full: boolean;
}

/** Ignores errors: a call must not fail because of its log. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Without the record, a crash leaves no trace of the call.
  }
}

export function createOpenCalls({ calls, folder }: LogPlace, redact: (text: string) => string): OpenCalls {
  let newest: LogPart | null = null;
  let closed = false;
  const partOf = new Map<string, LogPart>();

  const begin = ({ call, started_at: at }: CallRecord): LogPart => {
    const path = pathOf({ calls, folder }, nameOf(call, at).replace(/\.json$/, OPEN));
    const descriptor = inFolder(calls, folder, () => calls.open(path, 'wx'));
    return { path, descriptor, calls: new Set(), size: 0, full: false };
  };

  /** A line torn by a failed write is ended first. */
  const write = (part: LogPart, text: string): void => {
    const bytes = encoder.encode(`\n${text}`);
    part.size += bytes.length;
    part.full ||= part.size > FULL_BYTES;
    writeFully(calls, part.descriptor, bytes);
  };

  const removeWhenDone = (part: LogPart): void => {
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
    progress: (call, progress) =>
      quietly(() => {
        const part = partOf.get(call);
        if (part !== undefined) write(part, JSON.stringify({ progress: call, ...progress }));
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
