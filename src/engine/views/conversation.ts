import type { Conversation, CutText, Turn, WorkerKind } from '#protocol/generated/view.gen.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type RecordedExecution, runExecutions } from './run-executions.ts';
import type { RunId } from '#protocol/id.ts';
import { inputText, readInputs } from '#protocol/inputs.ts';
import { runDetails } from '../durable/project.ts';

/** The maximum number of turns sent. Earlier turns are only counted. */
const MOST_TURNS = 60;
/** The maximum number of characters of a turn that are sent without request. */
const LONGEST_TEXT = 6_000;

/** Shortens a text. A shortened text gets the given name, with which the full text can be requested. */
export const cutText = (text: string, name: string): CutText =>
  text.length <= LONGEST_TEXT ? { text, more: null } : { text: text.slice(0, LONGEST_TEXT).toWellFormed(), more: name };

interface UncutTurn extends Omit<Turn, 'text'> {
  readonly whole: string;
}

const textIn = (object: JsonObject, name: string): string | null => {
  const value = object[name];
  return typeof value === 'string' ? value : null;
};

function tokensIn({ stats }: Extract<RecordedExecution, { kind: 'executed' }>): number | null {
  const used = stats['tokens_used'];
  if (typeof used !== 'object' || used === null || Array.isArray(used)) return null;
  const { input, output } = used as { readonly input?: unknown; readonly output?: unknown };
  return (typeof input === 'number' ? input : 0) + (typeof output === 'number' ? output : 0);
}

const NO_TURN = { visit: null, attempt: null, durationMs: null, tokens: null, streaming: false, links: [] } as const;

function executedTurn(
  one: Extract<RecordedExecution, { kind: 'executed' }>,
  kind: WorkerKind | null,
  isModel: boolean,
): UncutTurn {
  const model = one.append.map(({ meta }) => textIn(meta ?? {}, 'model')).find((name) => name !== null);
  const said = one.append.map(({ content }) => content).join('\n\n');
  const signal = one.signal === null ? '' : one.signal.replace('SIGNAL:', '');
  const parts = [said, one.failure ?? '', said === '' && one.failure === null ? signal : ''];
  return {
    ...NO_TURN,
    id: `${one.frame} ${one.block}#${one.visit}.${one.attempt}`,
    role: isModel ? 'assistant' : 'worker',
    kind,
    name: model ?? one.worker,
    visit: one.visit,
    attempt: one.attempt,
    durationMs: one.at - one.began,
    tokens: tokensIn(one),
    whole: parts.filter((part) => part !== '').join('\n\n'),
  };
}

function answeredTurn(one: Extract<RecordedExecution, { kind: 'answered' }>): UncutTurn {
  const { answer } = one;
  const verb = answer.verb === 'jump' ? `Jump to ${answer.block}` : VERB[answer.verb];
  return {
    ...NO_TURN,
    id: `${one.frame} ${one.block}#${one.visit} at ${one.at}`,
    role: 'you',
    kind: null,
    name: 'You',
    visit: one.visit,
    whole: [verb, answer.guidance ?? ''].filter((part) => part !== '').join('\n\n'),
  };
}

const VERB: Readonly<Record<'retry' | 'proceed' | 'reject' | 'next' | 'abort', string>> = {
  retry: 'Retry',
  proceed: 'Proceed',
  reject: 'Reject',
  next: 'Resume to next',
  abort: 'Abort run',
};

export function blockIn(graph: Graph, block: string): GraphBlock | undefined {
  return graph.nodes.flatMap(({ blocks }) => blocks).find(({ id }) => id === block);
}

function turnsOf(root: string, run: RunId, graph: Graph, block: string, kind: WorkerKind | null): readonly UncutTurn[] {
  const contract = blockIn(graph, block)?.contract ?? null;
  const isModel = kind === 'ai' || kind === 'agent';
  const system: readonly UncutTurn[] =
    contract === null ? [] : [{ ...NO_TURN, id: 'contract', role: 'system', kind, name: 'Contract', whole: contract }];
  const said = runExecutions(root, run)
    .filter((one) => one.block === block)
    .map((one) => (one.kind === 'answered' ? answeredTurn(one) : executedTurn(one, kind, isModel)));
  return [...system, ...requestOf(root, run, graph, block), ...said];
}

/** Returns the request that a run was started with, as a turn of the block that it started in. */
function requestOf(root: string, run: RunId, graph: Graph, block: string): readonly UncutTurn[] {
  const started = runDetails(root, run)?.header.started;
  if (started?.input === undefined || started.input === null) return [];
  const { start, input } = started;
  const first = 'block' in start ? start.block : graph.nodes.find(({ id }) => id === start.node)?.entryBlock;
  if (first !== block) return [];
  const read = graph.inputs === undefined ? null : readInputs(graph.inputs, input);
  const whole = read?.ok === true ? inputText(read.values) : input;
  return [{ ...NO_TURN, id: 'request', role: 'you', kind: null, name: 'Request', whole }];
}

interface ConversationParts {
  readonly root: string;
  readonly run: RunId;
  readonly graph: Graph;
  readonly block: string;
  readonly visit: number | null;
  readonly kind: WorkerKind | null;
}

/** Returns the name with which the full text of a turn can be requested. */
export const turnName = (run: string, block: string, id: string): string => JSON.stringify(['turn', run, block, id]);

/** Returns the conversation of a block in all its visits, or up to one. */
export function conversationOf({ root, run, graph, block, visit, kind }: ConversationParts): Conversation {
  const turns = turnsOf(root, run, graph, block, kind).filter(
    (turn) => visit === null || turn.visit === null || turn.visit <= visit,
  );
  const shown = turns.slice(-MOST_TURNS);
  return {
    run,
    block,
    visit,
    earlier: turns.length - shown.length,
    turns: shown.map(({ whole, ...turn }) => ({ ...turn, text: cutText(whole, turnName(run, block, turn.id)) })),
  };
}

/** Returns the full text of a turn; null if there is none. */
export function turnText(root: string, run: RunId, graph: Graph, block: string, id: string): string | null {
  return turnsOf(root, run, graph, block, null).find((turn) => turn.id === id)?.whole ?? null;
}
