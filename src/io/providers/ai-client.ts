import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { AiClient, AiRequest, AttemptOutcome, AttemptTimes, FinishReason } from '#protocol/ai-call.ts';
import { withoutLogin } from '#protocol/without-login.ts';
import { factsOf, redactedHeaders } from './attempt-facts.ts';
import { callOptions } from './call-options.ts';
import { type Deadlines, type Limit, startDeadlines } from './deadlines.ts';
import { type KeyRedactors, keyRedactors } from './key-redactors.ts';
import { createModelCache, type OpenModel } from './model-cache.ts';
import { createDispatcher, createTap, type Tap } from './wire-tap.ts';
import { estimatedUsage, finishOf, usageOf } from './usage.ts';

/** 1. The library never retries: models are called, not its loops. 2. It never looks for a key of its own: an empty one is refused. 3. Nothing leaves an attempt that has not gone through its redaction; only a whole answer may hold a key that is a mere word. */
export interface AiClientOptions {
  /** Until a connection, with TLS, is there. */
  readonly connectMs: number;
  /** Are HTTPS_PROXY, HTTP_PROXY and NO_PROXY obeyed? */
  readonly proxied: boolean;
}

interface Answer {
  text: string;
  /** What a model that thinks has let see of it. */
  thought: string;
  finish: FinishReason;
  usage: LanguageModelV4Usage | null;
  firstTokenMs: number | null;
}

interface Listening {
  readonly deadlines: Deadlines;
  readonly answer: Answer;
  readonly onText: (text: string) => void;
  readonly sinceStart: () => number;
}

const hear = ({ deadlines, answer, sinceStart }: Listening): void => {
  deadlines.begun();
  answer.firstTokenMs ??= sinceStart();
};

function conclude(answer: Answer, finishReason: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): void {
  answer.finish = finishOf(finishReason);
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
    }
    // Not at its end: some leave the connection open after it, and the provider's word is lost to a limit of time.
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') conclude(answer, part.finishReason, part.usage);
}

async function generate({ model, headers }: OpenModel, request: AiRequest, listening: Listening): Promise<void> {
  const { deadlines, answer, onText } = listening;
  const { content, finishReason, usage } = await model.doGenerate(callOptions(request, headers, deadlines.signal));
  answer.text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  conclude(answer, finishReason, usage);
  if (answer.text !== '') onText(answer.text);
}

/** Ends with the signal, whether or not the library obeys it. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** Nothing but the end is missing: the library says so of one provider with an error, of the others with a finish. */
const brokeOff = (tap: Tap, answer: Answer, thrown: unknown): boolean =>
  tap.streams &&
  tap.failure === null &&
  answer.text !== '' &&
  thrown instanceof Error &&
  thrown.name === 'AI_InvalidResponseDataError';

/** What is taken for an answer by the library, and is none. */
function check({ stream }: AiRequest, { streams }: Tap, { text, finish }: Answer): void {
  if (stream === false || text !== '') return;
  if (!streams || finish === 'interrupted') throw new Error('no answer of a model');
}

/** `localhost:11434/v1` is an address of the kind `localhost:`. A login in it is never sent. */
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

/** In a stream a key that the answer gives back stands in parts, each of them innocent: then none of it is told. */
const holdsKey = ({ streams }: Tap, { text, thought }: Answer, { cut }: KeyRedactors): boolean =>
  streams && [text, thought].some((one) => cut(one) !== one);

const LEFT_OUT = '[left out: the answer held the key]';

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
  const { text } = answer;
  const begun = text !== '';
  const known = holdsKey(tap, answer, redact) ? { ...tap, text: LEFT_OUT } : tap;
  return {
    ok: false,
    facts: factsOf({ tap: known, thrown, limit, begun, redact: redact.facts }),
    usage: begun ? estimatedUsage(request, text) : null,
    times,
    ...(begun ? { text: redact.cut(text) } : {}),
  };
}

/** The port over the AI SDK (spec/workers.md "AI workers"). */
export function createAiClient({ connectMs, proxied }: AiClientOptions): AiClient & { close(): Promise<void> } {
  const dispatcher = createDispatcher(connectMs, proxied);
  const models = createModelCache();
  const redactorsOf = keyRedactors();
  return {
    close: () => dispatcher.destroy(),
    attempt: async (request, secret, signal, onText) => {
      signal.throwIfAborted();
      // Keys come from files and clipboards.
      const key = secret.trim();
      const problem = unusable(request, key);
      if (problem !== null) return unsent(problem);
      const redact = redactorsOf(key);
      const tap = createTap(dispatcher, (isEvent) => deadlines.alive(isEvent));
      const model = await models.open(request, key, tap);
      const deadlines = startDeadlines(request, signal);
      const began = performance.now();
      const sinceStart = (): number => Math.round(performance.now() - began);
      const answer: Answer = { text: '', thought: '', finish: 'interrupted', usage: null, firstTokenMs: null };
      const shown = redact.shown();
      const tell = (text: string): void => {
        if (text !== '') onText(text);
      };
      const listening: Listening = { deadlines, answer, sinceStart, onText: (text) => tell(shown.next(text)) };
      const attempt = (): Attempt => {
        const times = { firstTokenMs: answer.firstTokenMs, totalMs: sinceStart() };
        return { request, tap, answer, redact, times };
      };
      try {
        const ask = request.stream === false ? generate : stream;
        await untilAborted(ask(model, request, listening), deadlines.signal);
        tell(shown.rest());
        check(request, tap, answer);
        return succeeded(attempt(), answer.finish);
      } catch (thrown) {
        signal.throwIfAborted();
        if (brokeOff(tap, answer, thrown)) return succeeded(attempt(), 'interrupted');
        return failed(attempt(), thrown, deadlines.passed());
      } finally {
        deadlines.stop();
        model.close();
      }
    },
  };
}
