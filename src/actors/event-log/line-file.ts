import { writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { openLiveFile, type LiveFile } from './open-live-file.ts';
import { rotate } from './rotate.ts';
import { unlessItThrows } from './unless-it-throws.ts';

export interface LineFileParts {
  readonly calls: FileCalls;
  /** The `.flow` folder. */
  readonly folder: string;
  readonly rotateBytes: number;
  readonly keptFiles: number;
  readonly schedule: (flush: () => void) => void;
  readonly onRefused: (what: 'write' | 'rotate', thrown: unknown) => void;
}

/** Writes lines to `events.jsonl`, several at a time. Nothing of it throws. */
export interface LineFile {
  add(line: string): void;
  flush(): void;
  close(): void;
}

/** The most bytes held back, for one call or for a failing disk. */
const MOST_HELD = 65_536;
/** After an error, the file is tried again after this many lines. */
const TRY_EVERY = 64;

export function createLineFile(parts: LineFileParts): LineFile {
  const { calls, folder } = parts;
  let lines: string[] = [];
  let held = 0;
  /** Null after an error, or after the end. */
  let file: LiveFile | null = null;
  let rotateAt = parts.rotateBytes;
  let wasRefused = false;
  let linesUntilTry = 0;
  let isScheduled = false;
  let isOver = false;

  const refused = (thrown: unknown): void => {
    wasRefused = true;
    linesUntilTry = TRY_EVERY;
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
    unlessItThrows(() => calls.close(descriptor));
  };

  const drop = (): void => {
    lines = [];
    held = 0;
  };

  /** Cuts off lines that a full disk took in part; returns whether it succeeded. */
  const cut = ({ descriptor, size }: LiveFile): boolean =>
    unlessItThrows(() => {
      calls.truncate(descriptor, size);
      return true;
    }) ?? false;

  const append = (to: LiveFile): void => {
    const bytes = Buffer.from(lines.join(''));
    try {
      writeFully(calls, to.descriptor, bytes);
      to.size += bytes.length;
      drop();
    } catch (thrown) {
      // No line may be written twice: if the partial write can't be cut off, the held lines are dropped.
      if (!cut(to)) drop();
      close(to);
      refused(thrown);
    }
  };

  const flush = (): void => {
    if (lines.length === 0) return;
    if (file === null) open();
    if (file !== null) append(file);
  };

  const turnOver = (full: LiveFile): void => {
    close(full);
    try {
      rotate(calls, folder, parts.keptFiles);
      rotateAt = parts.rotateBytes;
    } catch (thrown) {
      rotateAt = full.size + parts.rotateBytes;
      parts.onRefused('rotate', thrown);
    }
    open();
  };

  const makeRoom = (bytes: number): void => {
    if (file === null || file.size + held === 0 || file.size + held + bytes <= rotateAt) return;
    flush();
    if (file !== null) turnOver(file);
  };

  const flushInTime = (): void => {
    isScheduled = false;
    if (file !== null) flush();
  };

  const flushSometime = (): void => {
    if (file === null) {
      linesUntilTry -= 1;
      if (linesUntilTry <= 0) flush();
    } else if (held >= MOST_HELD) flush();
    else if (!isScheduled) {
      isScheduled = true;
      parts.schedule(flushInTime);
    }
  };

  open();
  return {
    add: (line) => {
      if (isOver) return;
      const bytes = Buffer.byteLength(line) + 1;
      makeRoom(bytes);
      if (file !== null || held + bytes <= MOST_HELD) {
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
      if (file !== null) close(file);
    },
  };
}
