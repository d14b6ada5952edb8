import { offeredAnswers } from '#engine/index.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import type { Answer } from '#protocol/response.ts';
import { flagOf } from '../names/command-for.ts';
import { EMPTY_LINE } from './edit-line.ts';
import type { Item } from './item.ts';
import type { Action, Choice, Message, Model, Option, NextModel } from './model.ts';
import { answerText, blockOf, optionsFor } from './options.ts';

const still = (model: Model): NextModel => [model, []];

const refused = (model: Model, text: string, next: readonly string[] = []): NextModel =>
  still({ ...model, mode: { kind: 'list' }, notice: { isBad: true, text, next } });

/** Marks an item as busy, so that the same request is not sent twice. */
export const working = (model: Model, key: string, doing: string): Model => ({
  ...model,
  mode: { kind: 'list' },
  notice: null,
  busy: new Map([...model.busy, [key, doing]]),
});

const confirming = (model: Model, item: Item, question: string, action: Action): NextModel =>
  still({
    ...model,
    notice: null,
    mode: { kind: 'confirm', question, intended: { item: item.key, title: item.title, action } },
  });

/** Asks for the text of an answer, or for a confirmation if the answer has no text. A text is confirmed with Enter. */
function beginAnswer(model: Model, item: Item, halt: WaitingHalt, verb: Answer['verb']): NextModel {
  const offered = offeredAnswers(halt);
  if (!offered.includes(verb))
    return refused(
      model,
      `${blockOf(halt)} does not accept ${flagOf(verb)}. It accepts ${offered.map(flagOf).join(', ')}.`,
    );
  if (verb === 'abort')
    return confirming(model, item, `End the run of ${item.title}?`, { kind: 'answer', halt, answer: { verb } });
  if (verb === 'jump')
    return [working(model, item.key, 'reading the blocks'), [{ kind: 'blocks', item: item.key, halt }]];
  return still(asking(model, item.key, halt, verb, ''));
}

function asking(
  model: Model,
  item: string,
  halt: WaitingHalt,
  verb: Exclude<Answer['verb'], 'abort'>,
  block: string,
): Model {
  const title = verb === 'jump' ? `Jump to ${block}` : answerText(verb, halt);
  const mode = { kind: 'input', item, title, halt, verb, block, line: EMPTY_LINE, fault: '' } as const;
  return { ...model, notice: null, mode };
}

/** Lists the blocks that a jump may go to. */
export function beginJump(model: Model, { item, halt, blocks }: Extract<Message, { kind: 'blocks' }>): Model {
  const options = blocks.map((block): Option => ({ label: block, key: '', choice: { kind: 'jump', halt, block } }));
  return { ...model, mode: { kind: 'menu', item, title: 'Jump to which block?', options, at: 0, filter: '' } };
}

/** Answers the only halt of an item; with several, asks which one. */
export function beginOnHalt(model: Model, item: Item, verb: Answer['verb']): NextModel {
  const [halt, ...others] = item.halts;
  if (halt === undefined) return refused(model, `${item.title} is not waiting for an answer.`);
  if (others.length === 0) return beginAnswer(model, item, halt, verb);
  const options = optionsFor(item).filter(({ choice }) => choice.kind === 'answer' && choice.verb === verb);
  if (options.length === 0) return beginAnswer(model, item, halt, verb);
  return still({ ...model, mode: { kind: 'menu', item: item.key, title: 'Which block?', options, at: 0, filter: '' } });
}

export function beginMenu(model: Model, item: Item): NextModel {
  const options = optionsFor(item);
  return still({
    ...model,
    notice: null,
    mode: { kind: 'menu', item: item.key, title: item.title, options, at: 0, filter: '' },
  });
}

const noSession = (model: Model, item: Item, what: string): NextModel =>
  refused(model, `${item.title} has no session, so it can't be ${what}.`);

function beginResume(model: Model, item: Item): NextModel {
  const { resumes, session, run, title } = item;
  if (resumes === 'session' && session !== null)
    return confirming(model, item, `Resume ${title}?`, { kind: 'resume', session });
  if (resumes === 'run' && run !== null)
    return confirming(model, item, `Resume ${title}? Its run was ${item.state}.`, { kind: 'resumeRun', run });
  return refused(model, `${title} is ${item.state}, so there is nothing to resume.`);
}

/** Begins the chosen action. An action that changes the project is confirmed first. */
export function begin(model: Model, item: Item, choice: Choice): NextModel {
  const doing = model.busy.get(item.key);
  if (doing !== undefined) return refused(model, `${item.title} is busy: ${doing}.`);
  switch (choice.kind) {
    case 'diff':
      return [working(model, item.key, 'reading the diff'), [{ kind: 'diff', item }]];
    case 'shell':
      return [working(model, item.key, 'in a shell'), [{ kind: 'shell', item }]];
    case 'merge':
      return item.session === null
        ? noSession(model, item, 'merged')
        : confirming(model, item, `Merge ${item.title} into ${item.base ?? 'its base'}?`, {
            kind: 'merge',
            session: item.session,
          });
    case 'hold':
      return item.session === null
        ? noSession(model, item, 'put on hold')
        : confirming(model, item, `Put ${item.title} on hold?`, { kind: 'hold', session: item.session });
    case 'resume':
      return beginResume(model, item);
    case 'answer':
      return beginAnswer(model, item, choice.halt, choice.verb);
    case 'jump':
      return still(asking(model, item.key, choice.halt, 'jump', choice.block));
  }
}
