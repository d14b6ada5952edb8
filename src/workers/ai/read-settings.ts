import type { AiRequest } from '#protocol/ai-call.ts';
import { ANY_PUBLIC_PROVIDER, type ProviderName, providerNamed } from '#protocol/provider.ts';
import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { preconditionFailed } from '#protocol/error.ts';

/**
 * The settings of an AI worker: the parts of the request that the manifest determines, and the size of the context
 * window.
 */
export interface AiSettings {
  readonly request: Omit<AiRequest, 'instructions' | 'messages'>;
  readonly pool: string | null;
  /**
   * The size of the context window in tokens from `params.context_tokens`, which overrides the price table, or null.
   */
  readonly contextTokens: number | null;
}

const MINUTE = 60_000;
const HALF_AN_HOUR = 30 * MINUTE;

/**
 * Default of `max_output_tokens` for Anthropic. Without one, the client library requests more output tokens than some
 * models support.
 */
const ANTHROPIC_OUTPUT = 16_384;

const textOf = (value: JsonValue | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/**
 * Returns the protocol of a provider. A provider with an unknown name needs a `base_url`, and is called with OpenAI's
 * protocol.
 */
function providerOf(name: string, baseUrl: string | null, worker: string): ProviderName {
  const known = providerNamed(name) ?? 'openai-compatible';
  if (known === 'openai-compatible' && baseUrl === null)
    throw preconditionFailed(`${worker}: "${name}" is not ${ANY_PUBLIC_PROVIDER}, so it needs a "base_url"`);
  return known;
}

/** Returns true for addresses of the local network, whose servers may need minutes to load a model. */
const isNear = (baseUrl: string | null): boolean =>
  baseUrl !== null && /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|192\.168\.|10\.)/i.test(baseUrl);

function numberIn(params: JsonObject, key: string, worker: string, least: number): number | null {
  const value = params[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= least) return value;
  throw preconditionFailed(
    `${worker}: "params" has "${key}": ${JSON.stringify(value)}, which is not a number of at least ${least}`,
  );
}

/**
 * Returns the schema to send with the request, or null if it is not of type `object`, since providers enforce only such
 * schemas.
 */
const schemaFor = ({ validation }: Pick<GraphBlock, 'validation'>): JsonObject | null => {
  const schema = validation?.schema ?? null;
  return isObject(schema ?? undefined) && (schema as JsonObject)['type'] === 'object' ? (schema as JsonObject) : null;
};

const ADDRESS = ['provider', 'base_url'] as const;

/**
 * Returns the settings of a worker, overridden by those of one of its alternatives. If the alternative names another
 * endpoint, it does not inherit the worker's `base_url` and `pool`.
 */
function replaced(settings: JsonObject, alternative: JsonObject): JsonObject {
  const { base_url: baseUrl, pool, params, ...kept } = settings;
  const isElsewhere = ADDRESS.some((key) => alternative[key] !== undefined);
  const place: JsonObject = {
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(pool === undefined ? {} : { pool }),
  };
  const [own, other] = [params, alternative['params']];
  return {
    ...kept,
    ...(isElsewhere ? {} : place),
    ...alternative,
    params: { ...(isObject(own) ? own : {}), ...(isObject(other) ? other : {}) },
  };
}

/** Returns whether an execution fails, rather than waits, when no key of the worker can be used. */
export const failsIfExhausted = ({ settings }: WorkerDefinition): boolean => settings['on_exhausted'] === 'fail';

/** Returns the settings of a worker's model, and those of its alternatives in order. */
export function readRoutes(
  definition: WorkerDefinition,
  block: Pick<GraphBlock, 'params' | 'validation'>,
): readonly [AiSettings, ...AiSettings[]] {
  const { settings } = definition;
  const { fallback } = settings;
  const others = Array.isArray(fallback) ? fallback.filter((one: JsonValue): one is JsonObject => isObject(one)) : [];
  return [
    readSettings(definition, block),
    ...others.map((one) => readSettings({ ...definition, settings: replaced(settings, one) }, block)),
  ];
}

/**
 * Reads the settings of an AI worker. The block's `params` override those of the worker's definition. Throws
 * `precondition_failed` if a setting is invalid.
 */
export function readSettings(
  definition: WorkerDefinition,
  block: Pick<GraphBlock, 'params' | 'validation'>,
): AiSettings {
  const { name, settings } = definition;
  const own = settings['params'];
  const params: JsonObject = { ...(isObject(own) ? own : {}), ...block.params };
  const [baseUrl, model] = [textOf(settings['base_url']), textOf(settings['model'])];
  if (model === null) throw preconditionFailed(`${name} has no "model"`);
  if (baseUrl !== null && !/^https?:\/\/[^\s/]/i.test(baseUrl))
    throw preconditionFailed(`${name}: the "base_url" ${JSON.stringify(baseUrl)} must begin with http:// or https://`);
  const provider = providerOf(textOf(settings['provider']) ?? '', baseUrl, name);
  const number = (key: string, least = 0): number | null => numberIn(params, key, name, least);
  const request: AiSettings['request'] = {
    provider,
    model,
    baseUrl,
    schema: params['structured_output'] === false ? null : schemaFor(block),
    temperature: number('temperature'),
    maxOutputTokens: number('max_output_tokens', 1) ?? (provider === 'anthropic' ? ANTHROPIC_OUTPUT : null),
    ...(params['stream'] === false ? { stream: false } : {}),
    limits: {
      firstTokenMs: number('first_token_ms', 1) ?? (isNear(baseUrl) ? 10 * MINUTE : MINUTE),
      idleMs: number('idle_ms', 1) ?? MINUTE,
      totalMs: number('total_ms', 1) ?? HALF_AN_HOUR,
    },
  };
  return { request, pool: textOf(settings['pool']), contextTokens: number('context_tokens', 1) };
}
