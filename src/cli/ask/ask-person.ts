import * as clack from '@clack/prompts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';
import { harmless } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { AskPerson } from '../names/person.ts';
import { changesOfRun, type ShownChanges } from './shown-changes.ts';
import { personStreams, type PersonStreams } from '../terminal/read-secret.ts';

type Verb = Answer['verb'];

/** The data that the questions about one halt share. */
interface Asking {
  readonly halt: Halt;
  readonly allowed: readonly Verb[];
  readonly graph: Graph;
  /** Null: nothing has changed, or git can't tell. */
  readonly changes: ShownChanges | null;
  readonly streams: PersonStreams;
}

/** Returns a function that asks for an answer on the terminal. After Ctrl-C the halt stays unanswered. */
export function askPerson(graph: Graph, root: string, io: CliIo): AskPerson {
  const person = personStreams();
  return async (halt, allowed, { metadata: { run_id: run } }, over) => {
    // A signal for the prompt alone, detached once the prompt is over: otherwise the prompt would react to a later
    // abort and write to the screen.
    const leave = new AbortController();
    const stop = (): void => leave.abort();
    const ends = [person.signal, over];
    if (ends.some(({ aborted }) => aborted)) return null;
    for (const end of ends) end.addEventListener('abort', stop);
    try {
      const changes = run === null ? null : await changesOfRun(run, root, io).catch(() => null);
      if (leave.signal.aborted) return null;
      changes?.printFiles();
      return await askAnswer({ halt, allowed, graph, changes, streams: { ...person, signal: leave.signal } });
    } finally {
      for (const end of ends) end.removeEventListener('abort', stop);
    }
  };
}

async function askAnswer(asking: Asking): Promise<Answer | null> {
  const { halt, graph, streams } = asking;
  const choice = await askChoice(asking);
  if (choice === null) return null;
  if (choice === 'change') {
    const guidance = await askReason(streams);
    return guidance === null ? null : { verb: 'retry', guidance };
  }
  const verb = choice;
  if (verb === 'abort') return { verb };
  const target = verb === 'jump' ? await askTarget(halt, graph, streams) : null;
  if (verb === 'jump' && target === null) return null;
  const guidance = verb === 'reject' ? await askReason(streams) : await askGuidance(streams);
  if (guidance === null) return null;
  const words = guidance === '' ? {} : { guidance };
  return verb !== 'jump' ? { verb, ...words } : target === null ? null : { verb, block: target, ...words };
}

/** A choice of the person: an answer, or `change`, which executes the block again with what should change. */
type Choice = Verb | 'change';

/** Choices that leave the way of the workflow, or repeat a step as it was. They are offered under "More". */
const UNCOMMON: ReadonlySet<Choice> = new Set<Choice>(['next', 'jump', 'retry']);

function choicesOf(allowed: readonly Verb[]): readonly Choice[] {
  return allowed.flatMap((verb): readonly Choice[] => (verb === 'retry' ? ['change', verb] : [verb]));
}

type Extra = 'wait' | 'diff' | 'more' | 'back';

/** Asks what to do. If the person chooses the diff, shows it and asks again. */
async function askChoice({ halt, allowed, graph, changes, streams }: Asking): Promise<Choice | null> {
  const block = graph.nodes.flatMap(({ blocks }) => blocks).find(({ id }) => id === halt.block);
  const name = harmless(block?.name ?? halt.block);
  const choices = choicesOf(allowed);
  const optionOf = (value: Choice) => ({ value, label: label(value, name, halt.why) });
  const common = choices.filter((one) => !UNCOMMON.has(one)).map(optionOf);
  const uncommon = choices.filter((one) => UNCOMMON.has(one)).map(optionOf);
  let isMore = false;
  for (;;) {
    const answer: Choice | Extra | null = await select(
      `${harmless(halt.block)} waits for you.`,
      isMore
        ? [{ value: 'back', label: 'Back' }, ...uncommon]
        : [
            // The first choice does nothing, so that text typed by accident, with Enter, approves nothing.
            { value: 'wait', label: 'Choose with the arrow keys; press Enter here to leave it waiting' },
            ...(changes === null ? [] : [{ value: 'diff', label: 'Show the diff' } as const]),
            ...common,
            ...(uncommon.length === 0 ? [] : [{ value: 'more', label: moreText(uncommon) } as const]),
          ],
      streams,
    );
    if (answer === null || answer === 'wait') return null;
    if (answer === 'diff') await changes?.printDiff();
    else if (answer === 'more' || answer === 'back') isMore = answer === 'more';
    else return answer;
  }
}

/** Shows a list and returns what the person chooses; null if the question was cancelled. */
async function select(
  message: string,
  options: readonly { readonly value: Choice | Extra; readonly label: string }[],
  streams: PersonStreams,
): Promise<Choice | Extra | null> {
  const answer = await clack.select<Choice | Extra>({ ...streams, message, options: [...options] });
  return clack.isCancel(answer) ? null : answer;
}

const SHORT: Readonly<Partial<Record<Choice, string>>> = { next: 'skip', jump: 'jump', retry: 'try again' };

const moreText = (uncommon: readonly { readonly value: Choice }[]): string =>
  `More: ${uncommon.map(({ value }) => SHORT[value] ?? value).join(', ')}`;

function label(choice: Choice, name: string, why: Halt['why']): string {
  switch (choice) {
    case 'change':
      return `Ask for a change: ${name} works again, with your words`;
    case 'retry':
      return `Try ${name} again as it is`;
    case 'proceed':
      if (why === 'unsafe') return 'It is done: go on as after a success';
      return why === 'manual' ? 'Approve it and go on' : `Approve: start ${name}`;
    case 'reject':
      return 'Send it back, and say what should change';
    case 'next':
      return 'Skip to the next block';
    case 'jump':
      return 'Jump to another block';
    case 'abort':
      return 'Stop: end the run';
  }
}

/** Asks for a block to jump to; blocks of the same node are listed first. */
async function askTarget(halt: Halt, graph: Graph, streams: PersonStreams): Promise<BlockId | null> {
  const isOwn = ({ blocks }: Graph['nodes'][number]): boolean => blocks.some(({ id }) => id === halt.block);
  const nodes = [...graph.nodes].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  const chosen = await clack.autocomplete<BlockId>({
    ...streams,
    message: 'Which block?',
    maxItems: 10,
    options: nodes.flatMap(({ blocks }) => blocks.map(({ id }) => ({ value: id, label: harmless(id) }))),
  });
  return clack.isCancel(chosen) ? null : chosen;
}

/** Asks why the work is rejected; null if the person cancelled. */
async function askReason(streams: PersonStreams): Promise<string | null> {
  const text = await clack.text({
    ...streams,
    message: 'What should change?',
    validate: (given) => ((given ?? '').trim() === '' ? 'The next block needs a reason.' : undefined),
  });
  return clack.isCancel(text) ? null : text.trim();
}

/** Asks for guidance; null if the person cancelled. */
async function askGuidance(streams: PersonStreams): Promise<string | null> {
  const message = 'Guidance for the workers (press Enter for none)';
  const text = await clack.text({ ...streams, message, defaultValue: '' });
  return clack.isCancel(text) ? null : (text ?? '').trim();
}
