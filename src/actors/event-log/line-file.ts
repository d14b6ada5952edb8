import path from 'node:path';
import { listIfThere, writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { openLiveFile, type LiveFile } from './open-live-file.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';
import { blobsNamedIn, removeBlobs } from './blobs.ts';
import { LIVE_FILE, logsFolder, rotatedFile } from './event-files.ts';

/**
 * Rotates the log: `events.jsonl` becomes `events.1.jsonl`, and so on. The oldest file is removed, together with the
 * blobs that it refers to. Throws the system's error; no file is lost then, and the next rotation fills the gap in the
 * numbers.
 */
function rotate(calls: FileCalls, folder: string, kept: number): void {
  const logs = logsFolder(folder);
  const at = (number: number): string => path.join(logs, number === 0 ? LIVE_FILE : rotatedFile(number));
  const there = new Set(listIfThere(calls, logs));
  let free = 1;
  while (free < kept && there.has(rotatedFile(free))) free += 1;
  if (there.has(rotatedFile(free))) removeBlobs(calls, folder, blobsNamedIn(calls, at(free), null));
  for (let number = free; number > 0; number -= 1) calls.rename(at(number - 1), at(number));
}

interface LineFileParts {
  readonly calls: FileCalls;
  /** The `.flow` folder. */
  readonly folder: string;
  readonly rotateBytes: number;
  readonly keptFiles: number;
  readonly schedule: (flush: () => void) => void;
  readonly onRefused: (what: 'write' | 'rotate', thrown: unknown) => void;
}

/** Writes lines to `events.jsonl`, several at a time. Its methods never throw. */
interface LineFile {
  add(line: string): void;
  flush(): void;
  close(): void;
}

/** The maximum number of bytes buffered for one write, or while the disk fails. */
const MOST_HELD = 65_536;

/** After an error, the file is tried again after this many lines. */
const TRY_EVERY = 64;

/** The live file, which is closed after an error. */
interface OpenFile {
  isOpen(): boolean;
  /**
   * Returns whether `more` bytes fit into the file after the `held` ones without a rotation; true while the file is
   * closed.
   */
  fits(held: number, more: number): boolean;
  open(): void;
  /** Appends lines; returns whether they were written. */
  append(lines: readonly string[]): boolean;
  /** Begins a new file. */
  rotate(): void;
  close(): void;
}

/**
 * Opens the live file. `onFailure` is called after each error that closes it; `isLost` is true if the lines of the
 * failed write must not be written again.
 */
function createOpenFile(parts: LineFileParts, onFailure: (isLost: boolean) => void): OpenFile {
  const { calls, folder } = parts;
  /** Null after an error, or after the end. */
  let file: LiveFile | null = null;
  let rotateAt = parts.rotateBytes;
  let wasRefused = false;

  const refused = (thrown: unknown, isLost = false): void => {
    wasRefused = true;
    onFailure(isLost);
    parts.onRefused('write', thrown);
  };

  const open = (): void => {
    try {
      file = openLiveFile(calls, folder, wasRefused);
    } catch (thrown) {
      refused(thrown);
    }
  };

  const close = ({ descriptor }: LiveFile): void => {
    file = null;
    nullIfItThrows(() => calls.close(descriptor));
  };

  /** Cuts off lines that were written only in part, as on a full disk; returns whether it succeeded. */
  const cut = ({ descriptor, size }: LiveFile): boolean =>
    nullIfItThrows(() => {
      calls.truncate(descriptor, size);
      return true;
    }) ?? false;

  const appendTo = (to: LiveFile, lines: readonly string[]): boolean => {
    const bytes = Buffer.from(lines.join(''));
    try {
      writeFully(calls, to.descriptor, bytes);
      to.size += bytes.length;
      return true;
    } catch (thrown) {
      // No line may be written twice: if the partial write can't be cut off, the held lines are dropped.
      const isLost = !cut(to);
      close(to);
      refused(thrown, isLost);
      return false;
    }
  };

  return {
    isOpen: () => file !== null,
    fits: (held, more) => file === null || file.size + held === 0 || file.size + held + more <= rotateAt,
    open,
    append: (lines) => file !== null && appendTo(file, lines),
    rotate: () => {
      if (file === null) return;
      const { size } = file;
      close(file);
      try {
        rotate(calls, folder, parts.keptFiles);
        rotateAt = parts.rotateBytes;
      } catch (thrown) {
        rotateAt = size + parts.rotateBytes;
        parts.onRefused('rotate', thrown);
      }
      open();
    },
    close: () => {
      if (file !== null) close(file);
    },
  };
}

export function createLineFile(parts: LineFileParts): LineFile {
  let lines: string[] = [];
  let held = 0;
  let linesUntilTry = 0;
  let isScheduled = false;
  let isOver = false;

  const drop = (): void => {
    lines = [];
    held = 0;
  };

  const file = createOpenFile(parts, (isLost) => {
    if (isLost) drop();
    linesUntilTry = TRY_EVERY;
  });

  const flush = (): void => {
    if (lines.length === 0) return;
    if (!file.isOpen()) file.open();
    if (file.append(lines)) drop();
  };

  const makeRoom = (bytes: number): void => {
    if (file.fits(held, bytes)) return;
    flush();
    file.rotate();
  };

  const flushInTime = (): void => {
    isScheduled = false;
    if (file.isOpen()) flush();
  };

  const flushSometime = (): void => {
    if (!file.isOpen()) {
      linesUntilTry -= 1;
      if (linesUntilTry <= 0) flush();
    } else if (held >= MOST_HELD) flush();
    else if (!isScheduled) {
      isScheduled = true;
      parts.schedule(flushInTime);
    }
  };

  file.open();
  return {
    add: (line) => {
      if (isOver) return;
      const bytes = Buffer.byteLength(line) + 1;
      makeRoom(bytes);
      if (file.isOpen() || held + bytes <= MOST_HELD) {
        lines.push(line, '\n');
        held += bytes;
      }
      flushSometime();
    },
    flush,
    close: () => {
      flush();
      drop();
      isOver = true;
      file.close();
    },
  };
}
