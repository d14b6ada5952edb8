import { LARGE_BYTES } from '../wire/limits.ts';
import type { Engine, Sessions } from '#engine/index.ts';
import { APPROVALS } from '#protocol/approvals.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { HostMethods } from '#protocol/host.ts';
import type { BlockId, NodeId, SessionId } from '#protocol/id.ts';
import type { SessionJob } from '#protocol/session.ts';
import type { Start } from '#protocol/run.ts';
import {
  MERGE_STRATEGIES,
  type Resolver,
  type SessionApi,
  type SessionChanges,
  type SessionOrder,
} from '#protocol/session-api.ts';
import type { Methods } from './methods/methods.ts';
import type { SessionFileNames } from './session-file-methods.ts';
import {
  absolutePath,
  answersOf,
  countOf,
  environmentOf,
  flagOf,
  oneOf,
  optionalText,
  type Params,
  paramsOf,
  runOf,
  textOf,
} from './methods/read-params.ts';

type Names = Exclude<Extract<keyof HostMethods, `session.${string}`>, SessionFileNames>;

/** The maximum number of paths of a plan. */
const MOST_PATHS = 10_000;

const wrong = (name: string, what: string): RoboSmithError =>
  new RoboSmithError('usage', `"${name}" must be ${what}.`, { parameter: name });

function sessionIn(value: unknown, name: string): SessionId {
  if (typeof value === 'string' && /^s[0-9a-f]{8}$/.test(value)) return value as SessionId;
  throw wrong(name, 'the id of a session');
}

const sessionOf = (params: Params): SessionId => sessionIn(params['session'], 'session');

function listOf<Value>(params: Params, name: string, read: (one: unknown) => Value): readonly Value[] {
  const value = params[name];
  if (Array.isArray(value) && value.length <= MOST_PATHS) return value.map((one: unknown) => read(one));
  throw wrong(name, `a list of at most ${String(MOST_PATHS)}`);
}

const pathsOf = (params: Params, name: string): readonly string[] =>
  listOf(params, name, (one) => textOf({ [name]: one }, name, 4_096));

const othersOf = (params: Params): readonly SessionId[] => listOf(params, 'after', (one) => sessionIn(one, 'after'));

const priorityOf = (params: Params): number | null =>
  params['priority'] === null || params['priority'] === undefined ? null : countOf(params, 'priority');

function startOf(value: unknown): Start {
  const start = paramsOf(value);
  return start['node'] === undefined
    ? { block: textOf(start, 'block', 256) as BlockId }
    : { node: textOf(start, 'node', 256) as NodeId };
}

function resolverOf(value: unknown): Resolver | null {
  if (value === null || value === undefined) return null;
  const resolver = paramsOf(value);
  return { start: startOf(resolver['start']), manifest: absolutePath(resolver, 'manifest') };
}

function jobOf(value: unknown): SessionJob | null {
  if (value === null || value === undefined) return null;
  const job = paramsOf(value);
  const answers = answersOf(job);
  return {
    start: startOf(job['start']),
    manifest: absolutePath(job, 'manifest'),
    input: optionalText(job, 'input', LARGE_BYTES),
    script: job['script'] === null || job['script'] === undefined ? null : absolutePath(job, 'script'),
    ...(answers.length === 0 ? {} : { answers }),
    stepMode: flagOf(job, 'stepMode'),
    ...(job['approvals'] === undefined ? {} : { approvals: oneOf(job, 'approvals', APPROVALS) }),
  };
}

const orderOf = (params: Params): SessionOrder => ({
  title: textOf(params, 'title', 1_000),
  job: jobOf(params['job']),
  plan: pathsOf(params, 'plan'),
  base: optionalText(params, 'base', 1_000),
  attach: optionalText(params, 'attach', 1_000),
  priority: priorityOf(params),
  after: othersOf(params),
  isDraft: flagOf(params, 'isDraft'),
});

const changesOf = (params: Params): SessionChanges => ({
  ...('title' in params ? { title: textOf(params, 'title', 1_000) } : {}),
  ...('plan' in params ? { plan: pathsOf(params, 'plan') } : {}),
  ...('priority' in params ? { priority: priorityOf(params) } : {}),
  ...('after' in params ? { after: othersOf(params) } : {}),
  ...('base' in params ? { base: textOf(params, 'base', 1_000) } : {}),
});

function treeOf(choices: Params): string | null {
  const tree = optionalText(choices, 'tree', 64);
  if (tree === null || /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(tree)) return tree;
  throw wrong('tree', 'the full hash of a tree');
}

/** Returns the methods for sessions. `mayBegin` throws once nothing may be started any more. */
export function sessionMethods(
  open: () => Promise<Sessions>,
  mayBegin: () => void,
  { offer }: Pick<Engine['environments'], 'offer'>,
): Methods<Names> {
  const begun = async (): Promise<SessionApi> => {
    const { api } = await open();
    mayBegin();
    return api;
  };
  const asking =
    (reach: () => Promise<SessionApi>) =>
    <Result>(ask: (api: SessionApi, session: SessionId, params: Params) => Promise<Result>) =>
    async (given: unknown): Promise<Result> => {
      const params = paramsOf(given);
      const session = sessionOf(params);
      const environment = environmentOf(params);
      if (environment !== null) offer(session, environment);
      return ask(await reach(), session, params);
    };
  const one = asking(async () => (await open()).api);
  const begins = asking(begun);
  const choicesOf = (params: Params): Params => paramsOf(params['choices']);
  return {
    'session.list': async () => ({ sessions: (await open()).manager.list() }),
    'session.create': async (given) => {
      const params = paramsOf(given);
      const order = orderOf(params);
      const environment = environmentOf(params);
      const api = await begun();
      if (environment === null || order.isDraft) return api.create(order);
      // The environment is known before the session starts.
      const { id } = await api.create({ ...order, isDraft: true });
      offer(id, environment);
      return api.submit(id);
    },
    'session.foreign': async (given) => (await open()).api.foreign(textOf(paramsOf(given), 'branch', 1_000)),
    'session.adopt': async (given) => {
      const params = paramsOf(given);
      const [branch, commit] = [textOf(params, 'branch', 1_000), textOf(params, 'commit', 64)];
      return (await begun()).adopt(branch, commit);
    },
    'session.change': one((api, session, params) => api.change(session, changesOf(paramsOf(params['changes'])))),
    'session.submit': begins((api, session) => api.submit(session)),
    'session.withdraw': one((api, session) => api.withdraw(session)),
    'session.resume': begins((api, session) => api.resume(session)),
    'session.fork': begins((api, session, params) =>
      api.fork(session, { run: runOf(params), step: countOf(params, 'step') }),
    ),
    'session.rerun': begins((api, session, params) => {
      const job = jobOf(params['job']);
      if (job === null) throw wrong('job', 'an object that names the node or block to run');
      return api.rerun(session, job, params['plan'] === undefined ? [] : pathsOf(params, 'plan'));
    }),
    'session.moved': one((api, session, params) => api.moved(session, countOf(params, 'known'))),
    'session.merge': begins((api, session, params) => {
      const choices = choicesOf(params);
      return api.merge(session, {
        strategy: oneOf(choices, 'strategy', MERGE_STRATEGIES),
        message: optionalText(choices, 'message'),
        verify: choices['verify'] === 'when_base_moved' ? 'when_base_moved' : flagOf(choices, 'verify'),
        tree: treeOf(choices),
      });
    }),
    'session.update': begins((api, session, params) => {
      const choices = choicesOf(params);
      return api.update(session, { abort: flagOf(choices, 'abort'), resolve: resolverOf(choices['resolve']) });
    }),
    'session.hold': begins((api, session, params) =>
      api.hold(session, { release: flagOf(choicesOf(params), 'release') }),
    ),
    'session.discard': begins((api, session, params) =>
      api.discard(session, { force: flagOf(choicesOf(params), 'force') }),
    ),
    'session.push': begins((api, session, params) =>
      api.push(session, { pr: params['choices'] !== undefined && flagOf(choicesOf(params), 'pr') }),
    ),
    'session.restore': begins((api, session) => api.restore(session)),
  };
}
