import path from 'node:path';
import { createKeyPool, openPoolFile } from '#actors/key-pool/index.ts';
import { environmentKeys } from '#io/environment-keys.ts';
import { wallClock } from '#io/clock.ts';
import { newId } from '#io/identity.ts';
import { openPrices } from '#io/prices.ts';
import { lazyAiClient } from '#io/providers/lazy-ai-client.ts';
import { proxyProblem } from '#io/providers/proxy-settings.ts';
import { redactorOf } from '#io/providers/redact.ts';
import { EVERY_KEY, readBudgets, readPool } from '#machines/key/read-pool.ts';
import type { AiOrder, AiReply, AiService, ModelCalls } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { PoolResult, PoolSettings, Prices, WorkOrder } from '#protocol/key-pool.ts';
import { createCallLog } from './call-log.ts';
import { mustWait } from './must-wait.ts';
import { shownPrompt } from './shown-prompt.ts';

/** Until a connection, with TLS, is there. */
const CONNECT_MS = 10_000;

/** A worker waits as long for a key; past it the run waits, and holds nothing meanwhile. */
const MOST_WAIT_MS = 60_000;

export interface ModelCallsParts {
  /** Of the project, absolute. */
  readonly root: string;
  readonly calls: FileCalls;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Sees what is sent, right before it is. */
  readonly onPrompt?: ((prompt: ShownPrompt) => void) | undefined;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function poolOf({ pools }: Pick<Graph, 'pools'>, name: string | null): PoolSettings {
  const written = name === null ? undefined : pools[name];
  return name === null || !isObject(written) ? EVERY_KEY : readPool(name, written).pool;
}

function replyOf(result: PoolResult, order: AiOrder): AiReply {
  switch (result.kind) {
    case 'answered': {
      const { call, text, finish, usage, microUsd, key } = result;
      return { ok: true, call, text, finish, usage, costMicroUsd: microUsd, key };
    }
    case 'failed':
      return { ok: false, call: result.call, kind: result.class, message: `${order.request.model}: ${result.said}` };
    case 'exhausted':
    case 'over_budget':
      throw mustWait(result, order);
  }
}

/** All model calls of one project: its keys, its pool, its log (spec/workers.md "The key pool"). Nothing is loaded before the first. */
export function createModelCalls({
  root,
  calls,
  now,
  warn,
  onPrompt,
}: ModelCallsParts): ModelCalls & { close(): Promise<void> } {
  const { definitions, secrets } = environmentKeys();
  const client = lazyAiClient({ connectMs: CONNECT_MS, proxied: true });
  const table = openPrices({});
  let prices: Awaited<ReturnType<typeof table.load>> | null = null;
  const pricesNow: Prices = { microUsd: (request, usage) => prices?.(request, usage).microUsd ?? null };
  const log = createCallLog({
    place: { calls, folder: path.join(root, '.vision', 'logs') },
    client,
    redact: redactorOf([...secrets.values()]),
    sourceOf: (request) => prices?.(request, { input: 0, output: 0, cached: 0, reasoning: 0 }).source ?? null,
    warn,
  });
  const makePool = () =>
    createKeyPool({
      ...{ keys: definitions, client: log.client, clock: wallClock, prices: pricesNow, sink: log.sink, report: warn },
      secrets: { get: (alias) => secrets.get(alias) ?? null },
      file: openPoolFile({
        calls,
        file: path.join(root, '.flow', 'key-pool.jsonl'),
        newId: () => newId(6),
        now,
        report: warn,
      }),
      newId: () => newId(8),
    });
  let pool: ReturnType<typeof makePool> | null = null;

  const serviceFor = (graph: Pick<Graph, 'pools' | 'budgets'>): AiService => ({
    call: async (order, signal, onText) => {
      const problem = proxyProblem();
      if (problem !== null) throw new RoboSmithError('precondition_failed', problem);
      onPrompt?.(await shownPrompt(order, table));
      prices ??= await table.load();
      pool ??= makePool();
      const { run, session, node, block, visit } = order.place;
      const work: WorkOrder = {
        request: order.request,
        pool: poolOf(graph, order.pool),
        scope: { run, session, task: null, node, block, visit },
        budgets: readBudgets(graph.budgets),
        deadline: now() + MOST_WAIT_MS,
        signal,
        // What is shown while it comes is progress: the answer is used when it is whole.
        reader: { onText, onRestart: () => undefined },
      };
      const { execute } = pool;
      return replyOf(await log.during(order, () => execute(work)), order);
    },
    contextTokens: (model) => table.contextTokens(model),
  });

  return { serviceFor, close: client.close };
}
