import path from 'node:path';
import { createFile, listIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { ControlAnswer, ControlRequest, FolderWatch } from '#protocol/control.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import { answerName, controlFolder, encode, kindOf } from './control-files.ts';
import { requestTaker } from './take-requests.ts';

export interface ControlInboxParts {
  readonly calls: FileCalls;
  /** `.flow`, absolute. */
  readonly folder: string;
  readonly watch: FolderWatch;
  readonly newId: () => string;
  readonly now: () => number;
  /** Told what is wrong with a file or the folder; nothing of that stops the inbox. */
  readonly report: (message: string) => void;
}

/** What it throws, or rejects with, is the message of a request that was not accepted. */
export type OnRequest = (request: ControlRequest) => ControlAnswer | Promise<ControlAnswer>;

/** Whoever asked has given up, and the engine may be another one. */
const STALE_MS = 600_000;

/** An answer that nobody has fetched by then, or a file that nobody has completed. */
const ABANDONED_MS = 3_600_000;

function removeAbandoned({ calls, now, report }: ControlInboxParts, folder: string): void {
  try {
    for (const name of listIfThere(calls, folder)) {
      if (kindOf(name) !== 'answer' && kindOf(name) !== 'temporary') continue;
      const found = statIfThere(calls, path.join(folder, name));
      if (found !== null && now() - found.modifiedAt > ABANDONED_MS) removeIfThere(calls, path.join(folder, name));
    }
  } catch (thrown) {
    report(`.flow/control can't be tidied: ${messageOf(thrown)}`);
  }
}

async function ask(onRequest: OnRequest, request: ControlRequest, now: number): Promise<ControlAnswer> {
  if (now - request.at > STALE_MS) return { accepted: false, message: 'the request is too old: ask again' };
  try {
    return await onRequest(request);
  } catch (thrown) {
    return { accepted: false, message: messageOf(thrown) };
  }
}

/**
 * Takes the requests that come in `.flow/control/`, each exactly once, and answers them. For the owner of the engine lock only.
 * A crash between the two loses the request: its client gets no answer, and can ask again.
 */
export function createControlInbox(parts: ControlInboxParts, onRequest: OnRequest): { stop(): void } {
  const { calls, newId, now, report } = parts;
  const folder = controlFolder(parts.folder);
  const takeRequests = requestTaker(calls, folder, report);

  const respond = async (request: ControlRequest): Promise<void> => {
    const answer = await ask(onRequest, request, now());
    try {
      createFile(calls, path.join(folder, answerName(request.id)), encode(answer), newId());
    } catch (thrown) {
      report(`the answer to ${request.verb} ${request.run} can't be written: ${messageOf(thrown)}`);
    }
  };

  calls.makeFolder(folder);
  removeAbandoned(parts, folder);
  const stop = parts.watch.watch(folder, () => {
    for (const request of takeRequests()) void respond(request);
  });
  return { stop };
}
