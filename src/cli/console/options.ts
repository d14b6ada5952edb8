import { offeredAnswers } from '#engine/index.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import type { Answer } from '#protocol/response.ts';
import { shortBlock } from '../print/short-names.ts';
import type { Item } from './item.ts';
import type { Option } from './model.ts';

type Verb = Answer['verb'];

/** The keys that answer a halt. The other answers are in the menu. */
export const ANSWER_KEYS: Readonly<Record<string, Verb>> = { p: 'proceed', t: 'retry', x: 'reject', n: 'next' };

const keyOf = (verb: Verb): string => Object.entries(ANSWER_KEYS).find(([, one]) => one === verb)?.[0] ?? '';

export const blockOf = ({ block, node }: WaitingHalt): string => shortBlock(block, node);

/** Describes an answer to a halt in words. */
export function answerText(verb: Verb, halt: WaitingHalt): string {
  const block = blockOf(halt);
  switch (verb) {
    case 'retry':
      return `Execute ${block} again`;
    case 'proceed':
      if (halt.why === 'unsafe') return `${block} is done: continue as after a success`;
      return halt.why === 'manual' ? `Report ${block} as done and continue` : `Execute ${block} now`;
    case 'reject':
      return `Reject ${block}, with a reason`;
    case 'next':
      return `Continue after ${block}`;
    case 'jump':
      return 'Jump to another block';
    case 'abort':
      return 'End the run';
  }
}

const branchOf = (halt: WaitingHalt, { halts }: Item): string =>
  halts.length > 1 && halt.frame !== '/' ? `  (${halt.frame})` : '';

const answersTo = (halt: WaitingHalt, item: Item): readonly Option[] =>
  offeredAnswers(halt).map((verb) => ({
    label: `${answerText(verb, halt)}${branchOf(halt, item)}`,
    // If there are several halts, no key is shown, because a key does not determine which halt is answered.
    key: item.halts.length > 1 ? '' : keyOf(verb),
    choice: { kind: 'answer', halt, verb },
  }));

export const mayMerge = ({ session, state, changes }: Item): boolean =>
  session !== null && (state === 'ready' || (state === 'halted' && changes !== null));

export const mayHold = ({ session, state, group }: Item): boolean =>
  session !== null && (group === 'waiting' || group === 'interrupted' || state === 'running' || state === 'ready');

const mayOpenShell = ({ session, run }: Item): boolean => session !== null || run !== null;

/**
 * Returns everything that a person can do with an item. The diff is the first option, so that text typed by accident,
 * with Enter, changes nothing.
 */
export const optionsFor = (item: Item): readonly Option[] => [
  { label: 'Show the diff', key: 'd', choice: { kind: 'diff' } },
  ...item.halts.flatMap((halt) => answersTo(halt, item)),
  ...(mayMerge(item) ? [{ label: `Merge into ${item.base ?? ''}`, key: 'm', choice: { kind: 'merge' } } as const] : []),
  ...(item.resumes === null ? [] : [{ label: 'Resume', key: 'r', choice: { kind: 'resume' } } as const]),
  ...(mayHold(item) ? [{ label: 'Put on hold', key: 'h', choice: { kind: 'hold' } } as const] : []),
  ...(mayOpenShell(item) ? [{ label: 'Open a shell', key: 's', choice: { kind: 'shell' } } as const] : []),
];
