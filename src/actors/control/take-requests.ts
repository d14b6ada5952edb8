import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { ControlRequest } from '#protocol/control.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import { decodeRequest, kindOf } from './control-files.ts';

/** The maximum size of a request in bytes. */
const MOST_BYTES = 65_536;

type ExaminedFile =
  { readonly kind: 'gone' | 'garbage' } | { readonly kind: 'request'; readonly request: ControlRequest };

function examine(calls: FileCalls, folder: string, name: string): ExaminedFile {
  const file = path.join(folder, name);
  if (kindOf(name) === 'garbage') return { kind: 'garbage' };
  const found = statIfThere(calls, file);
  if (found === null) return { kind: 'gone' };
  if (found.isFolder || found.size > MOST_BYTES) return { kind: 'garbage' };
  const bytes = readIfThere(calls, file);
  if (bytes === null) return { kind: 'gone' };
  const request = decodeRequest(name, bytes);
  return request === null ? { kind: 'garbage' } : { kind: 'request', request };
}

const byAge = (one: ControlRequest, other: ControlRequest): number => one.at - other.at || (one.id < other.id ? -1 : 1);

/**
 * Returns a function that removes new requests from the folder and returns them, each once, oldest first. It never
 * throws; each problem is reported once.
 */
export function requestTaker(
  calls: FileCalls,
  folder: string,
  report: (message: string) => void,
): () => readonly ControlRequest[] {
  /** Requests that were handled, although their file could not be removed. */
  const finished = new Set<string>();
  const reported = new Set<string>();

  const reportOnce = (message: string): void => {
    if (reported.has(message)) return;
    reported.add(message);
    report(message);
  };
  const attempt = (what: string, call: () => void): boolean => {
    try {
      call();
      return true;
    } catch (thrown) {
      reportOnce(`${what}: ${messageOf(thrown)}`);
      return false;
    }
  };
  const remove = (name: string): boolean => {
    finished.add(name);
    const isGone = attempt(`.flow/control/${name} can't be removed`, () =>
      removeIfThere(calls, path.join(folder, name)),
    );
    if (isGone) finished.delete(name);
    return isGone;
  };
  const take = (name: string): readonly ControlRequest[] => {
    const found = examine(calls, folder, name);
    if (found.kind === 'gone') return [];
    const isGone = remove(name);
    if (found.kind === 'request') return [found.request];
    if (isGone) report(`.flow/control/${name} is not a control request and was removed`);
    return [];
  };

  return () => {
    const requests: ControlRequest[] = [];
    attempt(".flow/control can't be read", () => {
      for (const name of listIfThere(calls, folder)) {
        if (kindOf(name) === 'temporary' || kindOf(name) === 'answer') continue;
        if (finished.has(name)) remove(name);
        else attempt(`.flow/control/${name} can't be read`, () => requests.push(...take(name)));
      }
    });
    return requests.sort(byAge);
  };
}
