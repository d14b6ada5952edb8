import path from 'node:path';
import { readIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { artifactsFolder, eventFiles, logsFolder, rotatedFile } from './event-files.ts';
import { isMove } from './read-moves.ts';
import { blobOf, readLine, runMark } from './read-line.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

export interface EventFilter {
  readonly run?: RunId;
  readonly afterSeq?: number;
  /** Selects only events of this type, or of these types. */
  readonly type?: LoggedEvent['type'] | readonly LoggedEvent['type'][];
  /** True replaces references by the whole events, where the blob exists. */
  readonly resolve?: boolean;
}

interface ReadEvents {
  /** Events in the order in which they were written. */
  readonly events: readonly LoggedEvent[];
  /** The number of unreadable lines. If `run` is given, only lines that contain its id are counted. */
  readonly damaged: number;
  /** Files that could not be read. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Returns the whole event of a reference, or the logged one if the blob is gone or damaged. */
function resolve(calls: FileCalls, folder: string, event: LoggedEvent): LoggedEvent {
  const blob = blobOf(event);
  if (blob === null) return event;
  const bytes = nullIfItThrows(() => readIfThere(calls, path.join(artifactsFolder(folder), blob.ref)));
  const whole = bytes === null ? null : readLine(textOf(bytes));
  return whole?.run_id === event.run_id && whole.seq === event.seq ? whole : event;
}

function readOnce(calls: FileCalls, folder: string, filter: EventFilter): ReadEvents {
  const { run, afterSeq = -1, type } = filter;
  const mark = run === undefined ? '' : runMark(run);
  const types = type === undefined ? null : typeof type === 'string' ? [type] : type;
  const typeMarks = types?.map((one) => `"type":${JSON.stringify(one)}`) ?? [''];
  const events: LoggedEvent[] = [];
  const unread: ReadEvents['unread'][number][] = [];
  let damaged = 0;

  const orNothing = <Value>(file: string, read: () => Value, nothing: Value): Value => {
    try {
      return read();
    } catch (thrown) {
      unread.push({ path: file, why: messageOf(thrown) });
      return nothing;
    }
  };
  const take = (line: string): void => {
    if (line === '' || !line.includes(mark) || !typeMarks.some((typeMark) => line.includes(typeMark)) || isMove(line))
      return;
    const event = readLine(line);
    if (event === null) damaged += 1;
    else if (
      (run === undefined || event.run_id === run) &&
      (types === null || types.includes(event.type)) &&
      event.seq > afterSeq
    )
      events.push(filter.resolve === true ? resolve(calls, folder, event) : event);
  };

  for (const file of orNothing(logsFolder(folder), () => eventFiles(calls, folder), [])) {
    const text = orNothing(file, () => textOf(readIfThere(calls, file) ?? new Uint8Array()), '');
    text.split('\n').forEach(take);
  }
  return { events, damaged, unread };
}

/** Returns a value that changes with every rotation. */
function rotation(calls: FileCalls, folder: string): string {
  const newest = path.join(logsFolder(folder), rotatedFile(1));
  const found = nullIfItThrows(() => statIfThere(calls, newest));
  return found === null ? '' : `${found.modifiedAt} ${found.size}`;
}

const MOST_TRIES = 3;

/**
 * Reads the events of the log. If another process rotates the log meanwhile, reads again, because a file may have been
 * read twice or not at all.
 */
export function readEvents(calls: FileCalls, folder: string, filter: EventFilter = {}): ReadEvents {
  for (let tries = 1; ; tries += 1) {
    const before = rotation(calls, folder);
    const read = readOnce(calls, folder, filter);
    if (tries === MOST_TRIES || rotation(calls, folder) === before) return read;
  }
}
