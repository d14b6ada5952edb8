import { createReadStream, closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { InspectionEvent } from '#protocol/inspection.ts';
import { readInspection } from '#protocol/read-inspection.ts';

export interface Recording {
  write(event: InspectionEvent): void;
  close(): void;
}

/**
 * Creates a file for one inspection event per line, which only its owner can access. Throws the system's error, also if
 * the file exists already.
 */
export function createRecording(file: string): Recording {
  const handle = openSync(file, 'wx', 0o600);
  return {
    write: (event) => void writeSync(handle, `${JSON.stringify(event)}\n`),
    close: () => closeSync(handle),
  };
}

function parse(line: string): InspectionEvent | null {
  try {
    return readInspection(JSON.parse(line));
  } catch {
    return null;
  }
}

interface ReadRecording {
  readonly events: number;
  /** Lines that are no inspection events. */
  readonly ignored: number;
}

/** Reads a recording line by line. Rejects with the system's error. */
export async function readRecording(file: string, take: (event: InspectionEvent) => void): Promise<ReadRecording> {
  let [events, ignored] = [0, 0];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const event = parse(line);
    if (event === null) ignored += 1;
    else {
      events += 1;
      take(event);
    }
  }
  return { events, ignored };
}
