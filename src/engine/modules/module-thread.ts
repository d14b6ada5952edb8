import { openResources, ownPort } from '#io/threads/own-port.ts';
import { checkResult } from '#machines/run/check-result.ts';
import { readCompletion } from '#machines/run/read-completion.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { BlockMemory, CheckedResult, Worker, WorkerResult } from '#protocol/worker.ts';
import { errorData } from './error-data.ts';
import type { Description, FromThread, Invocation, Method, Outcome, ToThread } from './messages.ts';
import { METHODS } from './messages.ts';
import { createThreadServices, type ThreadServices } from './thread-services.ts';
import { type FoundWorker, workerOfExport } from './worker-of-export.ts';

type Exports = Readonly<Record<string, unknown>>;

interface Running {
  readonly controller: AbortController;
  readonly services: ThreadServices;
}

const port = ownPort();
const post = (message: FromThread): void => port.post(message);
const modules = new Map<string, Promise<Exports>>();
const workers = new Map<string, FoundWorker>();
const running = new Map<number, Running>();
let memory: BlockMemory | null = null;
/** The number of open resources, such as timers, that the module itself has created while it was imported. */
let ownResources = 0;

/** Returns ` (line 3)` from the stack, the only place where V8 reports the position of a syntax error. */
function lineIn(thrown: unknown, href: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const line = stack.includes(href) ? /^:(\d+)/.exec(stack.slice(stack.indexOf(href) + href.length))?.[1] : undefined;
  return line === undefined ? '' : ` (line ${line})`;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function importNew(href: string): Promise<Exports> {
  port.restrict();
  const exports = (await import(/* @vite-ignore */ href)) as Exports;
  // Waits one turn of the event loop, so that resources of the import itself are closed before the module's own
  // resources are counted.
  await nextTurn();
  ownResources = openResources();
  return exports;
}

function load(href: string): Promise<Exports> {
  const known = modules.get(href) ?? importNew(href);
  modules.set(href, known);
  return known;
}

/** Finds a worker; each export is converted once per thread. */
async function find(href: string, name: string): Promise<FoundWorker> {
  const exports = await load(href);
  const found = workers.get(name) ?? workerOfExport(exports, name);
  workers.set(name, found);
  return found;
}

function describe(found: FoundWorker): Description {
  if ('problem' in found) return found;
  const { sideEffects, manual } = found.worker;
  const methods = METHODS.filter((method) => found.worker[method] !== undefined);
  return { sideEffects, ...(manual === undefined ? {} : { manual }), methods };
}

async function describeAll(href: string, names: readonly string[]) {
  try {
    const entries: (readonly [string, Description])[] = [];
    for (const name of names) entries.push([name, describe(await find(href, name))]);
    return { exports: Object.fromEntries(entries) };
  } catch (thrown) {
    return { problem: `it cannot be loaded: ${messageOf(thrown)}${lineIn(thrown, href)}` };
  }
}

/** Freezes data deeply, without recursion: a payload may be nested to any depth. */
function freeze<Value>(value: Value): Value {
  const queue: unknown[] = [value];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (typeof at !== 'object' || at === null || Object.isFrozen(at)) continue;
    Object.freeze(at);
    for (const child of Object.values(at)) if (typeof child === 'object' && child !== null) queue.push(child);
  }
  return value;
}

/**
 * Returns a result that can be sent. Refused exports are sent by name, so that the engine refuses them as for any
 * worker.
 */
function transferable(result: CheckedResult): WorkerResult {
  const { signal, append, payload, exports, refusedExports, stats, answerProblem, unfinished } = result;
  const refused = Object.fromEntries(refusedExports.map((name) => [name, null]));
  return {
    signal,
    ...(payload === null ? { append } : { payload }),
    exports: { ...exports, ...refused },
    stats,
    ...(answerProblem === null ? {} : { answerProblem }),
    ...(unfinished === undefined ? {} : { unfinished }),
  };
}

function checked(returned: unknown): Outcome {
  try {
    const check = checkResult(returned);
    return check.ok ? { ok: true, value: transferable(check.result) } : { ok: false, violation: check.problem };
  } catch (thrown) {
    return { ok: false, violation: `the result can't be read: ${messageOf(thrown)}` };
  }
}

function checkedCompletion(returned: unknown): Outcome {
  const check = readCompletion(returned);
  if (!check.ok) return { ok: false, violation: check.problem };
  const { completion } = check;
  return {
    ok: true,
    value: completion.kind === 'done' ? { kind: 'done', result: transferable(completion.result) } : completion,
  };
}

/** Returns the message with the class of side effects that a worker reports. An invalid class is sent as `unknown`. */
const opinion = (said: unknown): Outcome => ({
  ok: true,
  value: said === null || said === undefined ? null : ((typeof said === 'string' ? said : 'unknown') as SideEffects),
});

async function call(worker: Worker, method: Method, given: BlockMemory, { services, controller }: Running) {
  if (method === 'execute') return checked(await worker.execute(given, services.services, controller.signal));
  if (method === 'sideEffectsOf') return opinion(worker.sideEffectsOf?.(given));
  const returned: unknown = await worker[method]?.(given, services.services);
  return method === 'checkCompletion' ? checkedCompletion(returned) : ({ ok: true, value: null } as const);
}

async function outcomeOf(invocation: Invocation, execution: Running): Promise<Outcome> {
  const { href, method } = invocation;
  try {
    if (invocation.memory !== null) memory = freeze(invocation.memory);
    const given = memory;
    const found = await find(href, invocation.export);
    if ('problem' in found || given === null)
      return { ok: false, error: errorData(new Error('problem' in found ? found.problem : 'no memory was given')) };
    return await call(found.worker, method, given, execution);
  } catch (thrown) {
    return { ok: false, error: errorData(thrown) };
  }
}

/** True once an execution has failed: the module may have left the thread in any state. */
let hasFailed = false;

/**
 * Reports that the thread is idle, after a turn of the event loop: an unhandled rejection would have ended it by then.
 */
function rest(): void {
  setImmediate(() => {
    if (running.size === 0) post({ kind: 'rested', isClean: !hasFailed && openResources() <= ownResources });
  });
}

async function invoke(invocation: Invocation): Promise<void> {
  const { id } = invocation;
  const services = createThreadServices(id, invocation.services, post);
  const execution = { controller: new AbortController(), services };
  running.set(id, execution);
  const outcome = await outcomeOf(invocation, execution);
  running.delete(id);
  hasFailed ||= !outcome.ok;
  post({ kind: 'ended', id, outcome });
  rest();
}

async function answer(message: ToThread): Promise<void> {
  if (message.kind === 'invoke') return invoke(message);
  if (message.kind === 'describe') {
    const found = await describeAll(message.href, message.exports);
    post({ kind: 'described', id: message.id, found });
    return rest();
  }
  if (message.kind === 'abort') {
    const { id, reason } = message;
    post({ kind: 'aborted', id });
    return running.get(id)?.controller.abort(new DOMException(reason.message, reason.name));
  }
  for (const { services } of running.values())
    if (message.kind === 'reply') services.reply(message);
    else services.callback(message);
}

port.onMessage((message) => void answer(message as ToThread));
