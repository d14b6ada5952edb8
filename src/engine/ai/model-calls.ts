import path from 'node:path';
import { type LogPlace, pruneCalls } from '#actors/call-log/index.ts';
import { newId } from '#io/identity.ts';
import { lazyAiClient } from '#io/providers/lazy-ai-client.ts';
import { redactorOf } from '#io/providers/redact.ts';
import { EVERY_KEY, readBudgets, readPool } from '#machines/key/read-pool.ts';
import type { AiOrder, AiReply, AiService, ModelCalls } from '#protocol/ai-service.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { PoolResult, PoolSettings, Prices, WorkOrder } from '#protocol/key-pool.ts';
import { type KeyPlaces, loadKeys, type LoadedKeys } from '../keys/load-keys.ts';
import { projectPool } from '../keys/project-pool.ts';
import { projectPrices } from '../keys/project-prices.ts';
import { createCallLog } from './call-log.ts';
import { mustWait } from './must-wait.ts';

/** Until a connection, with TLS, is there. */
const CONNECT_MS = 10_000;

/** Of the call log, in all: the oldest go when an engine that has called models ends. */
const LOG_BYTES = 1_000_000_000;

/** A worker waits as long for a key; past it the run waits, and holds nothing meanwhile. */
const MOST_WAIT_MS = 60_000;

export interface ModelCallsParts {
  /** Of the project, absolute. */
  readonly root: string;
  readonly calls: FileCalls;
  readonly places: KeyPlaces;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** The models of a project, for the owner of its engine. */
export interface OwnedModels extends ModelCalls {
  /** A person says that a key is good: what was held against it in this project is void. False: there is no such key. */
  forgive(alias: string): Promise<boolean>;
  close(): Promise<void>;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NOTHING = { input: 0, output: 0, cached: 0, reasoning: 0 } as const;

/** The manifest's pool with the keys that the user gave to it; the user's order holds where the pool has none. */
function poolOf({ pools }: Pick<Graph, 'pools'>, name: string | null, { keys, order }: LoadedKeys): PoolSettings {
  const written = name === null ? undefined : pools[name];
  const pool = name === null || !isObject(written) ? EVERY_KEY : readPool(name, written).pool;
  const own = keys.filter((key) => name !== null && key.pool === name).map(({ alias }) => alias);
  return {
    ...pool,
    keys: pool.keys === null ? null : [...new Set([...pool.keys, ...own])],
    tiers: pool.tiers.length === 0 ? order : pool.tiers,
  };
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

/** Keys, prices, log and pool of one project, read and loaded. */
async function openModels({ root, calls, places, now, warn }: ModelCallsParts) {
  const loaded = await loadKeys(places);
  const { prices, problems } = await projectPrices(root, places.environment);
  for (const problem of [...loaded.problems, ...problems]) warn(problem);
  const costOf = await prices.load();
  const known: Prices = { microUsd: (request, usage) => costOf(request, usage).microUsd };
  const client = lazyAiClient({ connectMs: CONNECT_MS, proxied: true });
  const place: LogPlace = { calls, folder: path.join(root, '.vision', 'logs') };
  const log = createCallLog({
    place,
    client,
    redact: redactorOf([...loaded.secrets.values()]),
    sourceOf: (request) => costOf(request, NOTHING).source,
    warn,
  });
  const parts = { root, places, loaded, client: log.client, prices: known, sink: log.sink, report: warn };
  const pool = projectPool(parts);
  const close = async (): Promise<void> => {
    pool.close();
    await client.close();
    pruneCalls(place, { bytes: LOG_BYTES }, now(), newId(6));
  };
  return { loaded, prices, log, pool, close };
}

/** All model calls of one project: its keys, its pool, its log (spec/workers.md "The key pool"). Nothing is loaded before the first. */
export function createModelCalls(parts: ModelCallsParts): OwnedModels {
  const { now } = parts;
  let opening: ReturnType<typeof openModels> | null = null;
  const open = () => (opening ??= openModels(parts));

  const serviceFor = (graph: Pick<Graph, 'pools' | 'budgets'>): AiService => ({
    call: async (order, signal, onText, onFact) => {
      const { pool, log, loaded } = await open();
      const { run, session, task, node, block, visit } = order.place;
      const work: WorkOrder = {
        request: order.request,
        pool: poolOf(graph, order.pool, loaded),
        scope: { run, session, task, node, block, visit },
        budgets: readBudgets(graph.budgets),
        deadline: now() + MOST_WAIT_MS,
        signal,
        ...(onFact === undefined ? {} : { onFact }),
        // What is shown while it comes is progress: the answer is used when it is whole.
        reader: { onText, onRestart: () => undefined },
      };
      return replyOf(await log.during(order, () => pool.execute(work)), order);
    },
    contextTokens: async (model) => (await open()).prices.contextTokens(model),
  });

  return {
    serviceFor,
    forgive: async (alias) => {
      const { pool } = await open();
      return pool.setDisabled(alias, false) && pool.renew(alias);
    },
    close: async () => (await opening)?.close(),
  };
}
