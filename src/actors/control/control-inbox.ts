import path from 'node:path';
import { createFile, listIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { ControlAnswer, ControlRequest, FolderWatch } from '#protocol/control.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import { answerName, controlFolder, encode, kindOf } from './control-files.ts';
import { requestTaker } from './take-requests.ts';

export interface ControlInboxParts {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly watch: FolderWatch;
  readonly newId: () => string;
  readonly now: () => number;
  /** Called with a message about a bad file or the folder. The inbox keeps running. */
  readonly report: (message: string) => void;
}

/** Handles a request. If the function throws or rejects, the request is refused with the error's message. */
export type OnRequest = (request: ControlRequest) => ControlAnswer | Promise<ControlAnswer>;

/** The age at which a request is ignored: its client has given up, and the engine may have changed since. */
const STALE_MS = 600_000;

/** The age at which unread answers and incomplete files are removed. */
const ABANDONED_MS = 3_600_000;

function removeAbandoned({ calls, now, report }: ControlInboxParts, folder: string): void {
  try {
    for (const name of listIfThere(calls, folder)) {
      if (kindOf(name) !== 'answer' && kindOf(name) !== 'temporary') continue;
      const found = statIfThere(calls, path.join(folder, name));
      if (found !== null && now() - found.modifiedAt > ABANDONED_MS) removeIfThere(calls, path.join(folder, name));
    }
  } catch (thrown) {
    report(`old files in .flow/control can't be removed: ${messageOf(thrown)}`);
  }
}

async function ask(onRequest: OnRequest, request: ControlRequest, now: number): Promise<ControlAnswer> {
  if (now - request.at > STALE_MS) return { accepted: false, message: 'the request is too old: repeat the command' };
  try {
    return await onRequest(request);
  } catch (thrown) {
    return { accepted: false, message: messageOf(thrown) };
  }
}

/**
 * Removes the requests from `.flow/control/`, each exactly once, and answers them. Only for the owner of the engine
 * lock. A request is lost if a crash occurs after its removal: its client gets no answer and can send it again.
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
      report(`the answer to ${request.verb} can't be written: ${messageOf(thrown)}`);
    }
  };

  calls.makeFolder(folder);
  removeAbandoned(parts, folder);
  const stop = parts.watch.watch(folder, () => {
    for (const request of takeRequests()) void respond(request);
  });
  return { stop };
}
