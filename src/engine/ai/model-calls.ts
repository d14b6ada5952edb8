import path from 'node:path';
import { callLogFolder } from '#io/project/call-log-folder.ts';
import {
  countBilled,
  findAnswer,
  findSpent,
  mayContinue,
  listCalls,
  type LogPlace,
  pruneCalls,
  takeOverOpenCalls,
} from '#actors/call-log/index.ts';
import { hasOutcome, localKey, type Place, readRun } from '#actors/journal/index.ts';
import { newId } from '#io/clock/identity.ts';
import { lazyAiClient } from '#io/providers/lazy-ai-client.ts';
import { proxyProblem } from '#io/providers/proxy-settings.ts';
import { redactorOf } from '#io/providers/redact.ts';
import { trimmedUrl } from '#logic/keys/pool-key.ts';
import { EVERY_KEY, readBudgets, readPool } from '#logic/keys/read-pool.ts';
import { keylessAlias } from '#protocol/local-server.ts';
import type { AiService, AnswerPiece, CallPlace, ModelCalls } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId, StepKey } from '#protocol/id.ts';
import { isObject } from '#protocol/json.ts';
import type { KeyReport, NotedKeyTest, PoolResult, PoolSettings, Prices, WorkOrder } from '#protocol/key-pool.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { OnPrompt } from '#protocol/shown-prompt.ts';
import { type KeyPlaces, loadKeys, type LoadedKeys } from '../keys/load-keys.ts';
import { projectPool } from '../keys/project-pool.ts';
import { projectPrices } from '../keys/project-prices.ts';
import type { OnAiFact } from '#protocol/ai-fact.ts';
import { secretText } from '#protocol/outbound.ts';
import type { KnownSecrets } from '../keys/known-secrets.ts';
import { createCallLog } from './call-log.ts';
import { checkMaySend } from './check-may-send.ts';
import { redactOrder, type SecretInPrompt } from './redact-order.ts';
import { replyFrom, replyOf } from './reply-of.ts';
import { shownPrompt } from './shown-prompt.ts';

/** Time limit for connecting, including TLS. */
const CONNECT_MS = 10_000;

/**
 * The maximum size of the call log in bytes. The oldest calls are removed when an engine that has called models closes.
 */
const LOG_BYTES = 1_000_000_000;

/** How long a worker waits for a key; after that the run halts, and holds no resources. */
const MOST_WAIT_MS = 60_000;

interface ModelCallsParts {
  /** The absolute path of the project. */
  readonly root: string;
  readonly calls: FileCalls;
  readonly places: KeyPlaces;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Called with each prompt before it is sent. */
  readonly onPrompt?: OnPrompt | undefined;
  /** Called with each part of an answer, while a model writes it. */
  readonly onAnswer?: ((piece: AnswerPiece) => void) | undefined;
  /** Receives the secrets of the keychain when they are read. */
  readonly secrets: Pick<KnownSecrets, 'all' | 'add'>;
  /** Called when the state of keys may have changed. */
  readonly onKeys?: () => void;
}

/** The models of a project, for the owner of its engine. */
interface OwnedModels extends ModelCalls {
  /** Notes a person's test of a key in this project. False if there is no such key. */
  noteKeyTest(test: NotedKeyTest): Promise<boolean>;
  /** Writes the calls that were active when their process died to the call log. */
  takeOver(): void;
  /** Reloads the keys once no call is active. */
  keysChanged(): void;
  /** Returns the keys of the pool, for inspectors. Empty if the pool was not opened yet. */
  keys(): readonly KeyReport[];
  close(): Promise<void>;
}

const NOTHING = { input: 0, output: 0, cached: 0, reasoning: 0 } as const;

/** Returns the manifest's pool with the user's keys; the user's order applies if the pool has none. */
function poolOf(
  { pools }: Pick<Graph, 'pools'>,
  name: string | null,
  { keys, order }: LoadedKeys,
  warn: (problem: string) => void,
): PoolSettings {
  const written = name === null ? undefined : pools[name];
  const { pool, problems } =
    name === null || !isObject(written) ? { pool: EVERY_KEY, problems: [] } : readPool(name, written);
  for (const problem of problems) warn(`the pool "${name ?? ''}": ${problem}`);
  const own = keys.filter((key) => name !== null && key.pool === name).map(({ alias }) => alias);
  return {
    ...pool,
    keys: pool.keys === null ? null : [...new Set([...pool.keys, ...own])],
    tiers: pool.tiers.length === 0 ? order : pool.tiers,
  };
}

/** Returns whether the run's journal has the outcome of the execution that made a call. */
function hasJournalledOutcome(flow: Place, { run, step, attempt }: CallRecord): boolean {
  if (run === null || step === null || attempt === null) return true;
  const reading = readRun(flow, run as RunId);
  // A run without a journal lives only as long as its process.
  if (reading.kind !== 'read') return true;
  return hasOutcome(reading.run.entries, localKey(run as RunId, step as StepKey), attempt);
}

/**
 * Returns a function that counts the billed attempts of a visit before a call. The log is searched only for a run that
 * has made a call which it may continue; calls of this process are added with `add`. The journal is asked only about
 * calls of earlier processes: this process goes on only after an outcome.
 */
function billedAttempts(place: LogPlace, flow: Place, since: number) {
  let runs: Set<string | null> | null = null;
  const known = (): Set<string | null> =>
    (runs ??= new Set(
      listCalls(place)
        .calls.filter(mayContinue)
        .map(({ run }) => run),
    ));
  return {
    before: (visit: CallPlace): number =>
      known().has(visit.run)
        ? countBilled(place, visit, (call) => call.started_at < since && !hasJournalledOutcome(flow, call))
        : 0,
    add: ({ run }: CallPlace, ended: { readonly kind: string } | null): void => {
      if (mayContinue({ outcome: ended?.kind ?? 'aborted' })) known().add(run);
    },
  };
}

/** Opens keys, prices, log and pool of one project. */
async function openModels({ root, places, now, warn, secrets }: ModelCallsParts, place: LogPlace) {
  const loaded = await loadKeys(places);
  secrets.add(loaded.secrets);
  const { prices, problems } = await projectPrices(root, places.environment);
  for (const problem of [...loaded.problems, ...problems]) warn(problem);
  const costOf = await prices.load();
  const known: Prices = { microUsd: (request, usage) => costOf(request, usage).microUsd };
  const client = lazyAiClient({ connectMs: CONNECT_MS, proxied: true });
  const aliases = new Map(Array.from(loaded.secrets, ([alias, secret]) => [secret, alias]));
  const log = createCallLog({
    place,
    client,
    now,
    newId: () => newId(8),
    aliasOf: (secret, { baseUrl }) =>
      aliases.get(secret) ??
      loaded.keys.find((key) => key.keyless === true && trimmedUrl(key.baseUrl) === trimmedUrl(baseUrl))?.alias ??
      (secret === '' && baseUrl !== null ? keylessAlias(trimmedUrl(baseUrl)) : ''),
    redact: redactorOf([...loaded.secrets.values()]),
    costOf: known.microUsd,
    sourceOf: (request) => costOf(request, NOTHING).source,
    warn,
  });
  const parts = { root, places, loaded, client: log.client, prices: known, sink: log.sink, report: warn };
  const pool = projectPool({ ...parts, newId: log.idOf });
  // Runs a maintenance task of the log. A failure is only reported: the log stays readable, and the next start repeats
  // the task.
  const tidy = (work: () => unknown): void => {
    try {
      work();
    } catch (thrown) {
      warn(`the maintenance of the call log failed: ${messageOf(thrown)}`);
    }
  };
  const close = async (): Promise<void> => {
    pool.close();
    tidy(log.close);
    await client.close();
    tidy(() => pruneCalls(place, { bytes: LOG_BYTES }, now(), newId(6)));
  };
  return { loaded, prices, log, pool, close };
}

/** The opened models: opened at the first use, and again after a change of the keys, once no call is active. */
function openedOnDemand(parts: ModelCallsParts, place: LogPlace) {
  let opening: ReturnType<typeof openModels> | null = null;
  let current: Awaited<ReturnType<typeof openModels>> | null = null;
  let openCalls = 0;
  let stale = false;
  const open = () => {
    if (stale && openCalls === 0) {
      const before = opening;
      stale = false;
      opening = before === null ? null : before.then(({ close }) => close()).then(() => openModels(parts, place));
    }
    return (opening ??= openModels(parts, place));
  };
  const use = async <Value>(work: (opened: Awaited<ReturnType<typeof open>>) => Promise<Value>): Promise<Value> => {
    const opened = open();
    openCalls += 1;
    try {
      current = await opened;
      return await work(current);
    } finally {
      openCalls -= 1;
      parts.onKeys?.();
    }
  };
  return {
    open,
    /** Calls a function with the models, which stay open while it runs. */
    use,
    keysChanged: (): void => {
      stale = opening !== null;
    },
    keys: (): readonly KeyReport[] => current?.pool.table() ?? [],
    close: async (): Promise<void> => (await opening)?.close(),
  };
}

/** Creates the model calls of one project: its keys, its pool, its log. Nothing is loaded before the first call. */
export function createModelCalls(parts: ModelCallsParts): OwnedModels {
  const { root, calls, now, onPrompt, onAnswer } = parts;
  const place: LogPlace = { calls, folder: callLogFolder(root) };
  const models = openedOnDemand(parts, place);
  const billed = billedAttempts(place, { calls, folder: path.join(root, '.flow') }, now());
  const warned = new Set<string>();
  const warnOnce = (problem: string): void => {
    if (!warned.has(problem)) parts.warn(problem);
    warned.add(problem);
  };

  const report = (found: readonly SecretInPrompt[], onFact?: OnAiFact): void => {
    for (const one of found) {
      if (onFact === undefined) warnOnce(secretText(one));
      else onFact({ type: 'ai.call.redacted', ...one });
    }
  };

  const serviceFor = (graph: Pick<Graph, 'pools' | 'budgets'>): AiService => ({
    call: async (asked, signal, onText, onFact) => {
      const problem = proxyProblem();
      if (problem !== null) throw new RoboSmithError('precondition_failed', problem);
      return models.use(async ({ pool, log, loaded, prices }) => {
        const { order, found } = redactOrder(asked, parts.secrets.all());
        report(found, onFact);
        checkMaySend(found, asked, parts.places);
        const { insteadOf } = order;
        const { provider, model } = order.request;
        if (insteadOf !== undefined)
          onFact?.({ type: 'ai.call.fallback', from: insteadOf.model, provider, model, why: insteadOf.why });
        const { run, session, task, node, block, visit } = order.place;
        await onPrompt?.(() => shownPrompt(order, prices), run);
        const show = (text: string | null): void => onAnswer?.({ place: order.place, text });
        show(null);
        const settings = poolOf(graph, order.pool, loaded, warnOnce);
        const work: WorkOrder = {
          request: order.request,
          pool: settings,
          scope: { run, session, task, node, block, visit },
          budgets: readBudgets(graph.budgets),
          deadline: now() + (order.waits === false ? 0 : MOST_WAIT_MS),
          billedBefore: billed.before(order.place),
          signal,
          ...(onFact === undefined ? {} : { onFact }),
          // Streamed text is only displayed: the answer is used once it is complete.
          reader: {
            onText: (text) => {
              onText(text);
              show(text);
            },
            onRestart: () => show(null),
          },
        };
        let result: PoolResult | null = null;
        try {
          result = await log.during(order, () => pool.execute(work));
        } finally {
          billed.add(order.place, result);
        }
        return replyOf(result, order, { pool: settings, known: loaded.keys });
      });
    },
    known: (execution) => {
      const record = findAnswer(place, execution);
      return Promise.resolve(record === null ? null : replyFrom(record));
    },
    spent: (execution) => Promise.resolve(findSpent(place, execution)),
    contextTokens: async (model) => (await models.open()).prices.contextTokens(model),
  });

  return {
    serviceFor,
    noteKeyTest: (test) => models.use(({ pool }) => Promise.resolve(pool.noteTest(test))),
    takeOver: () => takeOverOpenCalls(place, newId(6)),
    keysChanged: models.keysChanged,
    keys: models.keys,
    close: models.close,
  };
}
