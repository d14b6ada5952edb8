import path from 'node:path';
import { createFile, readIfThere, removeIfThere } from '#io/files/durable-file.ts';
import type { Clock } from '#protocol/clock.ts';
import type { ControlAnswer, ControlOrder, FolderWatch } from '#protocol/control.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { answerName, controlFolder, decodeAnswer, encode, requestName } from './control-files.ts';

interface SendControlParts {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly watch: FolderWatch;
  readonly newId: () => string;
  readonly clock: Clock;
}

type SignedOrder = ControlOrder & { readonly by: string };

/** Returns null until the answer exists. */
function readAnswer(calls: FileCalls, file: string): ControlAnswer | null {
  const bytes = readIfThere(calls, file);
  return bytes === null ? null : decodeAnswer(bytes);
}

/** Resolves with the answer once it exists; rejects with the system's error. */
function whenAnswered(
  { calls, watch }: SendControlParts,
  file: string,
): { answer: Promise<ControlAnswer>; end(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<ControlAnswer>();
  const end = watch.watch(path.dirname(file), () => {
    try {
      const answer = readAnswer(calls, file);
      if (answer !== null) resolve(answer);
    } catch (thrown) {
      reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  });
  return { answer: promise, end };
}

/** Removes files. The owner of the engine lock later removes the files that can't be removed now. */
function clearAway(calls: FileCalls, files: readonly string[]): void {
  for (const file of files) {
    try {
      removeIfThere(calls, file);
    } catch {
      continue;
    }
  }
}

/**
 * Sends a request to the process that executes a run. If no answer arrives in time, the request is withdrawn, so that
 * no later owner of the engine executes it; if the process has already read it, it may still be executed. Throws the
 * system's error if the request can't be sent.
 */
export async function sendControl(
  parts: SendControlParts,
  asked: SignedOrder,
  timeoutMs: number,
): Promise<ControlAnswer | 'no_answer'> {
  const { calls, clock, newId } = parts;
  const folder = controlFolder(parts.folder);
  const id = newId();
  const requestFile = path.join(folder, requestName(id));
  const answerFile = path.join(folder, answerName(id));
  const over = new AbortController();

  calls.makeFolder(folder);
  const { answer, end } = whenAnswered(parts, answerFile);
  try {
    createFile(calls, requestFile, encode({ id, ...asked, at: clock.now() }), newId());
    const first = await Promise.race([answer, clock.sleep(timeoutMs, over.signal, '').then(() => null)]);
    if (first !== null) return first;
    removeIfThere(calls, requestFile);
    return readAnswer(calls, answerFile) ?? 'no_answer';
  } finally {
    over.abort();
    end();
    clearAway(calls, [requestFile, answerFile]);
  }
}
