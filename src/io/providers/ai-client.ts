import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { AiClient, AiRequest, AttemptOutcome, AttemptTimes, FinishReason } from '#protocol/ai-call.ts';
import { isObject, parseJsonObject } from '#protocol/json.ts';
import { withoutLogin } from '#protocol/without-login.ts';
import { factsOf, redactedHeaders } from './attempt-facts.ts';
import { callOptions } from './call-options.ts';
import { type Deadlines, type Limit, startDeadlines } from './deadlines.ts';
import { type KeyRedactors, keyRedactors } from './key-redactors.ts';
import { createModelCache, type OpenModel } from './model-cache.ts';
import { createDispatcher, createTap, type Tap } from './wire-tap.ts';
import { estimatedUsage, finishOf, usageOf } from './usage.ts';

/**
 * The options of the client that calls models through the AI SDK. The SDK never retries and never reads keys from the
 * environment, because its models are called directly and an empty key is rejected. All texts of an attempt are
 * redacted; only the answer itself may contain a key that is an ordinary word.
 */
export interface AiClientOptions {
  /** The time limit for connecting, TLS included, in milliseconds. */
  readonly connectMs: number;
  /** True if HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply. */
  readonly proxied: boolean;
}

interface Answer {
  text: string;
  /** The part of a model's reasoning that the provider reveals. */
  thought: string;
  finish: FinishReason;
  usage: LanguageModelV4Usage | null;
  firstTokenMs: number | null;
}

interface Listening {
  readonly tap: Tap;
  readonly deadlines: Deadlines;
  readonly answer: Answer;
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
  readonly sinceStart: () => number;
}

const hear = ({ deadlines, answer, sinceStart }: Listening): void => {
  deadlines.begun();
  answer.firstTokenMs ??= sinceStart();
};

function conclude(
  { answer, tap }: Listening,
  finishReason: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
): void {
  answer.finish = finishOf(finishReason, tap.events.isEnded);
  answer.usage = usage;
}

async function stream({ model, headers }: OpenModel, request: AiRequest, listening: Listening): Promise<void> {
  const { deadlines, answer, onText } = listening;
  const { stream: parts } = await model.doStream(callOptions(request, headers, deadlines.signal));
  for await (const part of parts)
    if (part.type === 'text-delta') {
      if (part.delta === '') continue;
      hear(listening);
      answer.text += part.delta;
      onText(part.delta);
    } else if (part.type === 'reasoning-delta') {
      hear(listening);
      answer.thought += part.delta;
      listening.onThought(part.delta);
    }
    // Stop at the error event, not at the end of the stream: some providers leave the connection open afterwards, and a
    // time limit would hide the error.
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') conclude(listening, part.finishReason, part.usage);
}

/** Returns whether a response to a request for a stream is a whole answer, which some servers send instead. */
function isWhole({ status, streams, text }: Pick<Tap, 'status' | 'streams' | 'text'>): boolean {
  if (streams || status === null || status > 299) return false;
  const body = parseJsonObject(text);
  return body !== null && !isObject(body['error']) && ANSWER_FIELDS.some((field) => Array.isArray(body[field]));
}

/** The fields that hold the answer of a response in one piece, by provider. */
const ANSWER_FIELDS = ['choices', 'candidates', 'content', 'output'] as const;

/** Reads the answer, streamed or in one piece, however the server sends it. */
async function read(model: OpenModel, request: AiRequest, listening: Listening): Promise<void> {
  const { tap } = listening;
  if (request.stream === false) return generate(model, request, listening);
  try {
    await stream(model, request, listening);
  } catch (thrown) {
    if (!isWhole(tap)) throw thrown;
  }
  if (!isWhole(tap)) return;
  const { text } = tap;
  // The answer has already arrived, so reading it in one piece sends no second request.
  tap.fetch = () => Promise.resolve(new Response(text, { headers: { 'content-type': 'application/json' } }));
  await generate(model, request, listening);
}

async function generate({ model, headers }: OpenModel, request: AiRequest, listening: Listening): Promise<void> {
  const { deadlines, answer, onText } = listening;
  const { content, finishReason, usage } = await model.doGenerate(callOptions(request, headers, deadlines.signal));
  answer.text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  conclude(listening, finishReason, usage);
  if (answer.text !== '') onText(answer.text);
}

/** Settles as `work` does, or rejects when the signal aborts, even if the SDK ignores the signal. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}

/**
 * Returns whether a stream ended early without an error event. The SDK reports this as an error for one provider and as
 * a normal finish for the others.
 */
const brokeOff = (tap: Tap, answer: Answer, thrown: unknown): boolean =>
  tap.streams &&
  tap.failure === null &&
  answer.text !== '' &&
  thrown instanceof Error &&
  thrown.name === 'AI_InvalidResponseDataError';

/** Throws if the SDK accepted a response that is not an answer, or that reports an error. */
function check({ stream }: AiRequest, { streams, events, text: body }: Tap, { text, finish }: Answer): void {
  if (streams && events.error !== null) throw new Error('the stream reports an error');
  if (text !== '') return;
  // Google's errors that come with status 200 are empty answers for the SDK.
  if (stream === false && !Object.hasOwn(parseJsonObject(body) ?? {}, 'error')) return;
  if ((!streams && !isWhole({ streams, text: body, status: 200 })) || finish === 'interrupted')
    throw new Error('the response is not an answer of a model');
}

/**
 * Returns whether this is an http or https URL. `localhost:11434/v1` is not one, since its scheme is `localhost:`. A
 * URL with credentials is rejected, because credentials are never sent.
 */
const isAddress = (url: string): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && withoutLogin(url) === url;

function unusable({ provider, baseUrl }: AiRequest, key: string): string | null {
  if (baseUrl !== null && !isAddress(baseUrl)) return 'InvalidAddress';
  if (key === '') return provider === 'openai-compatible' ? null : 'EmptyKey';
  return /[^\x21-\x7e]/.test(key) ? 'InvalidKey' : null;
}

const unsent = (error: string): AttemptOutcome => ({
  ok: false,
  facts: { phase: 'connect', status: null, headers: {}, body: '', error, begun: false },
  usage: null,
  times: { firstTokenMs: null, totalMs: 0 },
});

interface Attempt {
  readonly request: AiRequest;
  readonly tap: Tap;
  readonly answer: Answer;
  readonly redact: KeyRedactors;
  readonly times: AttemptTimes;
}

/**
 * Returns whether a streamed answer contains the key. Its raw events hold the key in fragments that can't be redacted,
 * so they are left out.
 */
const holdsKey = ({ streams }: Tap, { text, thought }: Answer, { cut }: KeyRedactors): boolean =>
  streams && [text, thought].some((one) => cut(one) !== one);

const LEFT_OUT = '[omitted: the answer contained the API key]';

const succeeded = ({ request, tap, answer, redact, times }: Attempt, finish: FinishReason): AttemptOutcome => ({
  ok: true,
  text: redact.answer(answer.text, finish !== 'interrupted'),
  finish,
  usage: usageOf(answer.usage, request, answer.text),
  times,
  raw: holdsKey(tap, answer, redact) ? LEFT_OUT : redact.all(tap.text),
  headers: redactedHeaders(tap, redact.facts),
});

function failed(
  { request, tap, answer, redact, times }: Attempt,
  thrown: unknown,
  limit: Limit | null,
): AttemptOutcome {
  const { text, thought } = answer;
  const begun = text !== '';
  const known = holdsKey(tap, answer, redact) ? { ...tap, text: LEFT_OUT } : tap;
  return {
    ok: false,
    facts: factsOf({ tap: known, thrown, limit, begun, redact: redact.facts }),
    usage: begun || thought !== '' ? estimatedUsage(request, thought + text) : null,
    times,
    ...(begun ? { text: redact.cut(text) } : {}),
  };
}

const ignore = (): void => undefined;

/** Creates the client that calls models through the AI SDK. */
export function createAiClient({ connectMs, proxied }: AiClientOptions): AiClient & { close(): Promise<void> } {
  const dispatcher = createDispatcher(connectMs, proxied);
  const models = createModelCache();
  const redactorsOf = keyRedactors();
  return {
    close: () => dispatcher.destroy(),
    attempt: async (asked, secret, signal, onText, { maxOutputTokens = null, onThought = ignore } = {}) => {
      signal.throwIfAborted();
      const request = maxOutputTokens === null ? asked : { ...asked, maxOutputTokens };
      // Keys are often pasted with white space around them.
      const key = secret.trim();
      const problem = unusable(request, key);
      if (problem !== null) return unsent(problem);
      const redact = redactorsOf(key);
      const tap = createTap(dispatcher, (isAccepted) => deadlines.alive(isAccepted));
      const model = await models.open(request, key, tap);
      const deadlines = startDeadlines(request, signal);
      const began = performance.now();
      const sinceStart = (): number => Math.round(performance.now() - began);
      const answer: Answer = { text: '', thought: '', finish: 'interrupted', usage: null, firstTokenMs: null };
      const shown = redact.shown();
      const emitText = (text: string): void => {
        if (text !== '') onText(text);
      };
      const listening: Listening = {
        tap,
        deadlines,
        answer,
        sinceStart,
        onText: (text) => emitText(shown.next(text)),
        onThought,
      };
      const attempt = (): Attempt => {
        const times = { firstTokenMs: answer.firstTokenMs, totalMs: sinceStart() };
        return { request, tap, answer, redact, times };
      };
      try {
        await untilAborted(read(model, request, listening), deadlines.signal);
        emitText(shown.rest());
        check(request, tap, answer);
        return succeeded(attempt(), answer.finish);
      } catch (thrown) {
        signal.throwIfAborted();
        if (brokeOff(tap, answer, thrown)) return succeeded(attempt(), tap.events.isEnded ? 'other' : 'interrupted');
        return failed(attempt(), thrown, deadlines.passed());
      } finally {
        deadlines.stop();
        model.close();
      }
    },
  };
}
