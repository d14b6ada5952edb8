import type { Frame, Visit } from '#machines/run/state.ts';
import { missingModuleHint } from './missing-module.ts';
import type { Failure, Halt } from '#protocol/response.ts';
import type { HaltOpening } from '#protocol/run.ts';

/** The maximum number of characters of an excerpt; the payload has the whole text. */
const EXCERPT = 8_192;

/** The maximum number of lines quoted from the end of a failed worker's output. */
const TAIL = 12;

function inWords({ reason, details: { message, output } }: Failure): string {
  const words = typeof message === 'string' ? `${reason}: ${message}` : reason;
  if (typeof output !== 'string' || output.trim() === '') return words;
  return `${words}; its last output:\n${output.trimEnd().split('\n').slice(-TAIL).join('\n')}`;
}

function hintFor(content: string): { readonly hint?: string } {
  const hint = missingModuleHint(content);
  return hint === null ? {} : { hint };
}

/** Returns what a halt shows of the execution before it: a message, the failure, or the end of the last output. */
export function lastOutput({ payload }: Frame, { failure }: Visit, { message, why }: HaltOpening): Halt['last'] {
  if (message !== undefined) return { type: 'WAITS', content: message, scripted: false };
  // The failure is not shown if evidence has failed, because failed evidence has its own log.
  if (failure !== null && why === 'flagged') {
    const content = inWords(failure).slice(0, EXCERPT);
    return { type: 'FAILURE', content, scripted: false, ...hintFor(content) };
  }
  const last = payload.log[payload.length - 1];
  if (last === undefined) return null;
  const { type, content, meta } = last;
  const cut = content.slice(-EXCERPT);
  if (meta['scripted'] === true) return { type, content: cut, scripted: true };
  const { summary } = meta;
  return {
    type,
    content: cut,
    scripted: false,
    ...(typeof summary === 'string' ? { summary } : {}),
    ...hintFor(cut),
  };
}
