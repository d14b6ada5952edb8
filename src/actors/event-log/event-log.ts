import type { LoggedPayload } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { messageOf } from '#protocol/message-of.ts';
import { blobsNamedBy, removeBlobs, writeBlob } from './blobs.ts';
import { createLineFile } from './line-file.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';
import { abridge, serialise, toLine } from './write-as-line.ts';

interface EventLogParts {
  readonly calls: FileCalls;
  /** The `.flow` folder, absolute. */
  readonly folder: string;
  readonly newId: (bytes: number) => string;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Schedules `flush`, which writes the waiting lines: soon, but not for each line separately. */
  readonly schedule?: (flush: () => void) => void;
  readonly limits?: { readonly rotateBytes?: number; readonly keptFiles?: number; readonly inlineBytes?: number };
}

/**
 * Logs events. Runs do not depend on the log, so its methods never throw, whatever the payload or the state of the
 * disk.
 */
export interface EventLog {
  write(event: RoboSmithEvent, options?: { readonly preserve?: boolean }): void;
  /** Writes a session's state change. */
  writeMove(moved: SessionMoved): void;
  /** Writes the waiting lines, so that they can be read. */
  flush(): void;
  /** Removes a run's event blobs when it has completed or was cancelled, unless they are preserved. */
  runEnded(run: RunId, outcome: 'completed' | 'failed' | 'cancelled' | 'interrupted'): void;
  close(): void;
}

const DEFAULTS = { rotateBytes: 16 * 2 ** 20, keptFiles: 5, inlineBytes: 8_192 };

const ADVICE = {
  write: (folder: string, why: string) =>
    `Events can't be written below ${folder}: ${why}. Runs continue without events. Free space there or make it writable; writing is retried automatically.`,
  rotate: (folder: string, why: string) =>
    `The event log below ${folder} has reached its size limit and can't be renamed: ${why}. Events are still appended to it. Make the folder writable, and end the programs that hold its files open.`,
};

/** Warns once about each kind of problem: a full disk would otherwise cause a warning for every event. */
function createWarnings({ folder, warn }: EventLogParts): (what: keyof typeof ADVICE, thrown: unknown) => void {
  const warned = new Set<keyof typeof ADVICE>();
  return (what, thrown) => {
    if (warned.has(what)) return;
    warned.add(what);
    nullIfItThrows(() => warn(ADVICE[what](folder, messageOf(thrown))));
  };
}

export function createEventLog(parts: EventLogParts): EventLog {
  const { calls, folder, now, schedule = queueMicrotask } = parts;
  const { rotateBytes, keptFiles, inlineBytes } = { ...DEFAULTS, ...parts.limits };
  const warnOf = createWarnings(parts);
  const lines = createLineFile({ calls, folder, rotateBytes, keptFiles, schedule, onRefused: warnOf });
  const blobs = new Map<RunId, string[]>();
  /** Runs whose blobs were all written by this process. */
  const begunHere = new Set<RunId>();

  const addAbridged = (event: unknown, payload: LoggedPayload): void =>
    lines.add(toLine(abridge(event, payload, now())));

  const moveToBlob = (run: RunId, text: string, preserve: boolean): LoggedPayload => {
    try {
      const blob = writeBlob(parts, text, preserve);
      const ofRun = blobs.get(run) ?? [];
      if (!preserve) ofRun.push(blob.ref);
      blobs.set(run, ofRun);
      return blob;
    } catch (thrown) {
      warnOf('write', thrown);
      return { unsaved: messageOf(thrown) };
    }
  };

  return {
    write: (event, { preserve = false } = {}) => {
      const serialised = serialise(event);
      if (!serialised.ok) return addAbridged(event, { unserialisable: serialised.why });
      const { line, run, seq } = serialised;
      if (seq === 1) begunHere.add(run);
      if (Buffer.byteLength(line) <= inlineBytes) lines.add(line);
      else addAbridged(event, moveToBlob(run, line, preserve));
    },
    writeMove: (moved) => lines.add(toLine(moved)),
    flush: lines.flush,
    runEnded: (run, outcome) => {
      // Blobs that other processes wrote are searched in the log, so all waiting lines must be written first.
      lines.flush();
      if (outcome === 'completed' || outcome === 'cancelled') {
        removeBlobs(calls, folder, blobs.get(run) ?? []);
        if (!begunHere.has(run)) removeBlobs(calls, folder, blobsNamedBy(calls, folder, run));
      }
      blobs.delete(run);
      begunHere.delete(run);
    },
    close: lines.close,
  };
}
