import * as clack from '@clack/prompts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';
import { harmless } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { AskPerson } from '../names/person.ts';
import { changesOfRun, type ShownChanges } from './shown-changes.ts';
import { personStreams, type PersonStreams } from '../terminal/person-streams.ts';

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
  const verb = await askVerb(asking);
  if (verb === null) return null;
  if (verb === 'abort') return { verb };
  const target = verb === 'jump' ? await askTarget(halt, graph, streams) : null;
  if (verb === 'jump' && target === null) return null;
  const guidance = verb === 'reject' ? await askReason(streams) : await askGuidance(streams);
  if (guidance === null) return null;
  const words = guidance === '' ? {} : { guidance };
  return verb !== 'jump' ? { verb, ...words } : target === null ? null : { verb, block: target, ...words };
}

/** Asks for the kind of answer. If the person chooses the diff, shows it and asks again. */
async function askVerb({ halt, allowed, graph, changes, streams }: Asking): Promise<Verb | null> {
  const block = graph.nodes.flatMap(({ blocks }) => blocks).find(({ id }) => id === halt.block);
  const name = harmless(block?.name ?? halt.block);
  const verbs = allowed.filter((one) => one !== 'retry' || !allowed.includes('proceed'));
  for (;;) {
    const verb = await clack.select<Verb | 'wait' | 'diff'>({
      ...streams,
      message: `${harmless(halt.block)} waits for you.`,
      // The first choice does nothing, so that text typed by accident, with Enter, approves nothing.
      options: [
        { value: 'wait', label: 'Choose with the arrow keys; press Enter here to leave it waiting' },
        ...(changes === null ? [] : [{ value: 'diff' as const, label: 'Show the diff' }]),
        ...verbs.map((value) => ({ value, label: label(value, name, halt.why) })),
      ],
    });
    if (clack.isCancel(verb) || verb === 'wait') return null;
    if (verb !== 'diff') return verb;
    await changes?.printDiff();
  }
}

function label(verb: Verb, name: string, why: Halt['why']): string {
  switch (verb) {
    case 'retry':
      return `Execute ${name} again`;
    case 'proceed':
      return why === 'manual' ? 'Report it as done and continue' : `Execute ${name} now`;
    case 'reject':
      return 'Reject it, with a reason';
    case 'next':
      return 'Continue with the next block';
    case 'jump':
      return 'Jump to another block';
    case 'abort':
      return 'End the run';
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
