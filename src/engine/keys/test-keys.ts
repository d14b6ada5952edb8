import { failureOf } from '#actors/keys/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { lazyAiClient } from '#io/providers/lazy-ai-client.ts';
import type { AiRequest, AttemptOutcome } from '#protocol/ai-call.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import type { NotedKeyTest, UserKey } from '#protocol/key-pool.ts';
import { type KeyPlaces, loadKeys } from './load-keys.ts';

/** The result of testing a key with its provider. */
export interface TestedKey {
  readonly key: UserKey;
  /** `no_secret`: the key has no secret, so nothing was sent. */
  readonly result: 'good' | 'no_secret' | FailureClass;
  /** The provider's message, without the key. */
  readonly said: string;
  readonly status: number | null;
  /** When it may be used again, in milliseconds since the epoch; null if the provider did not say. */
  readonly retryAt: number | null;
  /** True if only the tested model has reached a limit. */
  readonly ofModel: boolean;
  /** The number of models that the provider lists; null if the test called a model, or if there was no answer. */
  readonly models: number | null;
}

const MOST_MS = 30_000;

/** The smallest token limit that every provider accepts. */
const FEW_TOKENS = 16;

const question = ({ provider, baseUrl }: UserKey, model: string): AiRequest => ({
  provider,
  baseUrl,
  model,
  instructions: '',
  schema: null,
  temperature: null,
  stream: false,
  messages: [{ role: 'user', content: 'Say OK.' }],
  maxOutputTokens: FEW_TOKENS,
  limits: { firstTokenMs: MOST_MS, idleMs: MOST_MS, totalMs: MOST_MS },
});

async function askModel(key: UserKey, secret: string, model: string): Promise<AttemptOutcome> {
  const client = lazyAiClient({ connectMs: 10_000, proxied: true });
  try {
    return await client.attempt(question(key, model), secret, AbortSignal.timeout(2 * MOST_MS), () => undefined);
  } finally {
    await client.close();
  }
}

async function askForModels(key: UserKey, secret: string): Promise<AttemptOutcome> {
  const { listModels } = await import('#io/providers/list-models.ts');
  return listModels(key, secret, AbortSignal.timeout(MOST_MS));
}

/**
 * Tests a key whatever its known state: requests the list of models, which is free, or a few tokens of `model`, which
 * also shows whether the account has credit.
 */
async function testKey(key: UserKey, secret: string | null, model: string | null): Promise<TestedKey> {
  const untested = { key, said: '', status: null, retryAt: null, ofModel: false, models: null };
  if (secret === null) return { ...untested, result: 'no_secret' };
  const outcome = model === null ? await askForModels(key, secret) : await askModel(key, secret, model);
  const failure = failureOf({ provider: key.provider }, outcome, wallClock.now());
  if (failure === null)
    return { ...untested, result: 'good', models: model === null && outcome.ok ? Number(outcome.text) : null };
  const { class: result, said, status, retryAt, ofModel } = failure;
  return { ...untested, result, said, status, retryAt, ofModel };
}

/** Tests the keys with these names, or all. `unknown`: a name that no key has. */
export async function testKeys(
  aliases: readonly string[],
  model: string | null,
  places: KeyPlaces,
): Promise<{
  readonly tested: readonly TestedKey[];
  readonly unknown: readonly string[];
  readonly problems: readonly string[];
}> {
  const { keys, secrets, problems } = await loadKeys(places);
  const unknown = aliases.filter((alias) => !keys.some((key) => key.alias === alias));
  const chosen = aliases.length === 0 ? keys : keys.filter(({ alias }) => aliases.includes(alias));
  if (unknown.length > 0) return { tested: [], unknown, problems };
  const tested = await Promise.all(
    chosen.map((key) => testKey(key, secrets.get(key.alias) ?? (key.keyless === true ? '' : null), model)),
  );
  return { tested, unknown, problems };
}

/** Returns what tests say about the keys themselves, for the pools of projects. */
export const notedTests = (tested: readonly TestedKey[]): readonly NotedKeyTest[] =>
  tested.flatMap(({ key: { alias }, result, said, retryAt, ofModel }): readonly NotedKeyTest[] => {
    if (result === 'good') return [{ alias, failure: null }];
    if (result === 'no_secret' || ofModel) return [];
    return [{ alias, failure: { class: result, said, retryAt: retryAt === null ? null : Math.ceil(retryAt) } }];
  });
