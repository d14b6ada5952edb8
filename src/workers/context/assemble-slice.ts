import type { ContextAnswer, ContextQueries, ContextQuery } from '#protocol/code-analysis.ts';
import type { ContextSlice, SliceFailure } from '#protocol/context-slice.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { preconditionFailed } from '#protocol/error.ts';
import { cutToTokens } from './cut-to-tokens.ts';
import { type ArgumentValues, fillArguments, type MissingArgument } from './fill-arguments.ts';

/** Maximum number of queries in one slice. A higher number indicates a mistake in the manifest. */
const MOST_QUERIES = 1_000;

interface AnsweredQuery {
  readonly tool: string;
  readonly args: JsonObject;
  readonly answer: ContextAnswer;
}

type SliceQuery = ContextQuery | (MissingArgument & Pick<ContextQuery, 'tool'>);

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

/** Returns true if a failed query of this slice makes the block fail. */
export const isRequired = (slice: JsonObject): boolean => isOn(slice['required']);

/** Returns a slice of the manifest by name, or null. */
export function sliceNamed(slices: JsonObject, name: string): JsonObject | null {
  const slice = Object.hasOwn(slices, name) ? slices[name] : undefined;
  return isObject(slice) ? slice : null;
}

function queriesOf(slice: JsonObject, values: ArgumentValues): readonly SliceQuery[] {
  const written = Array.isArray(slice['queries']) ? slice['queries'] : [];
  const queries = written.filter(isObject).flatMap(({ tool, args }): readonly SliceQuery[] =>
    fillArguments(isObject(args) ? args : {}, values).map((filled) => ({
      tool: typeof tool === 'string' ? tool : '',
      ...filled,
    })),
  );
  if (queries.length > MOST_QUERIES)
    throw preconditionFailed(`the slice has ${queries.length} queries, more than the limit of ${MOST_QUERIES}`);
  return queries;
}

async function askOne(
  wanted: SliceQuery,
  worktree: string,
  queries: ContextQueries,
  signal: AbortSignal,
): Promise<AnsweredQuery> {
  const { tool } = wanted;
  if (!('missing' in wanted)) return { ...wanted, answer: await queries.ask(worktree, wanted, signal) };
  return { tool, args: {}, answer: { ok: false, code: 'unfilled_argument', message: wanted.missing } };
}

const titleOf = ({ tool, args }: AnsweredQuery): string =>
  `${tool}${Object.entries(args)
    .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
    .join('')}`;

/** A context slice to assemble, with the worktree and the values for its arguments. */
interface SliceOrder {
  readonly name: string;
  readonly slice: JsonObject;
  readonly worktree: string;
  readonly values: ArgumentValues;
}

export interface AssembledSlice {
  readonly slice: ContextSlice;
  /** The total tokens of all answers before the slice's text was shortened. */
  readonly answered: { readonly tokens: number; readonly tokensSaved: number };
}

/**
 * Runs all queries of a slice in parallel and renders their answers. Rejects with the signal's reason when aborted, and
 * with `precondition_failed` if there are too many queries.
 */
export async function assembleSlice(
  { name, slice, worktree, values }: SliceOrder,
  queries: ContextQueries,
  signal: AbortSignal,
): Promise<AssembledSlice> {
  const asked = await Promise.all(queriesOf(slice, values).map((one) => askOne(one, worktree, queries, signal)));
  const found = asked.flatMap((one) => (one.answer.ok ? [{ title: titleOf(one), ...one.answer }] : []));
  const failed = asked.flatMap((one): readonly SliceFailure[] =>
    one.answer.ok ? [] : [{ query: titleOf(one), code: one.answer.code, message: one.answer.message }],
  );
  const most = slice['max_tokens'];
  const whole = found.map(({ title, text }) => `## ${title}\n${text}`).join('\n\n');
  const { text, left_out } = cutToTokens(whole, typeof most === 'number' ? most : null);
  const tokens = found.reduce((sum, one) => sum + one.tokens, 0);
  const tokensSaved = found.reduce((sum, one) => sum + one.tokensSaved, 0);
  const size = estimateTokens(text);
  const saved = Math.max(0, tokens + tokensSaved - size);
  return {
    slice: { name, text, queries: found.length, tokens: size, tokens_saved: saved, left_out, failed },
    answered: { tokens, tokensSaved },
  };
}
