import type { ContextAnswer, ContextQueries, ContextQuery } from '#protocol/context-queries.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { fillArguments, type Unfilled } from './fill-arguments.ts';

/** Of one slice: more is a manifest that means something else. */
const MOST_QUERIES = 1_000;

/** As good a guess as any before a model has counted. */
const CHARACTERS_A_TOKEN = 4;

interface Asked {
  readonly tool: string;
  readonly args: JsonObject;
  readonly answer: ContextAnswer;
}

const refused = (message: string): RoboSmithError => new RoboSmithError('precondition_failed', message);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

function sliceOf({ block, contextSlices = {} }: Services): { readonly name: string; readonly slice: JsonObject } {
  const name = block.contextSlice;
  if (name === null) throw refused(`${block.id} names no slice: give it a "context_slice" of the manifest`);
  const slice = Object.hasOwn(contextSlices, name) ? contextSlices[name] : undefined;
  if (!isObject(slice)) throw refused(`the manifest has no context slice "${name}"`);
  return { name, slice };
}

type Wanted = ContextQuery | (Unfilled & Pick<ContextQuery, 'tool'>);

function queriesOf(slice: JsonObject, memory: BlockMemory): readonly Wanted[] {
  const written = Array.isArray(slice['queries']) ? slice['queries'] : [];
  const queries = written.filter(isObject).flatMap(({ tool, args }): readonly Wanted[] =>
    fillArguments(isObject(args) ? args : {}, memory).map((filled) => ({
      tool: typeof tool === 'string' ? tool : '',
      ...filled,
    })),
  );
  if (queries.length > MOST_QUERIES)
    throw refused(`${queries.length} queries of one slice are more than ${MOST_QUERIES}`);
  return queries;
}

async function askOne(wanted: Wanted, worktree: string, queries: ContextQueries, signal: AbortSignal): Promise<Asked> {
  const { tool } = wanted;
  if (!('missing' in wanted)) return { ...wanted, answer: await queries.ask(worktree, wanted, signal) };
  return { tool, args: {}, answer: { ok: false, code: 'unfilled_argument', message: wanted.missing } };
}

const titleOf = ({ tool, args }: Asked): string =>
  `${tool}${Object.entries(args)
    .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
    .join('')}`;

function cut(text: string, maxTokens: JsonValue | undefined): { readonly text: string; readonly left_out: number } {
  const most = typeof maxTokens === 'number' ? maxTokens * CHARACTERS_A_TOKEN : text.length;
  if (text.length <= most) return { text, left_out: 0 };
  const left_out = text.length - most;
  return { text: `${text.slice(0, most).toWellFormed()}\n… ${left_out} characters left out`, left_out };
}

function resultOf(name: string, slice: JsonObject, asked: readonly Asked[]): WorkerResult {
  const found = asked.flatMap((one) => (one.answer.ok ? [{ one, ...one.answer }] : []));
  const failed = asked.flatMap((one) => (one.answer.ok ? [] : [{ query: titleOf(one), ...one.answer }]));
  const { text, left_out } = cut(
    found.map((each) => `## ${titleOf(each.one)}\n${each.text}`).join('\n\n'),
    slice['max_tokens'],
  );
  const tokens = found.reduce((sum, one) => sum + one.tokens, 0);
  const tokensSaved = found.reduce((sum, one) => sum + one.tokensSaved, 0);
  const enough = failed.length === 0 || (found.length > 0 && !isOn(slice['required']));
  const errors = failed.map(({ query, code, message }) => ({ query, code, message }));
  return {
    signal: enough ? SUCCESS : FAILURE,
    append: [
      ...(found.length === 0
        ? []
        : [
            {
              type: 'CONTEXT_SLICE',
              content: text,
              meta: { slice: name, queries: found.length, tokens, tokens_saved: tokensSaved, left_out },
            },
          ]),
      ...(errors.length === 0
        ? []
        : [
            {
              type: 'CONTEXT_ERROR',
              content: errors.map(({ query, code, message }) => `${query}: ${code}: ${message}`).join('\n'),
              meta: { slice: name, code: errors[0]?.code ?? '', failed: errors },
            },
          ]),
    ],
    stats: { tokens, tokensSaved },
  };
}

/** Runs the block's context slice and appends what it found (spec/workers.md "Internal:ContextQuery"; spec/context.md "Context slices"). */
export const contextQuery: Worker = {
  sideEffects: 'none',
  execute: async (memory, services, signal) => {
    const { name, slice } = sliceOf(services);
    const { context } = services;
    const { worktree } = memory.system;
    if (context === null || context === undefined || worktree === null)
      throw refused('no code analysis here: this run has no directory to work in');
    const queries = queriesOf(slice, memory);
    const asked = await Promise.all(queries.map((query) => askOne(query, worktree, context, signal)));
    return resultOf(name, slice, asked);
  },
};
