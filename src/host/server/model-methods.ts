import path from 'node:path';
import {
  loadManifest,
  manifestPath,
  mayBeSent,
  projectCall,
  projectCalls,
  projectCallsWith,
  questionOrder,
  readRequestText,
  repeatCall,
  requestText,
} from '#engine/authoring.ts';
import type { Engine } from '#engine/index.ts';
import type { AiOrder, AiReply } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { ShownCall } from '#protocol/host.ts';
import type { Caller, Methods } from './methods.ts';
import { countOf, optionalText, type Params, paramsOf, textOf } from './read-params.ts';

interface ModelMethodParts {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly call: Engine['call'];
  /** Rejects unless the user has allowed the project to call models. */
  readonly checkTrust: () => Promise<void>;
  /** Throws if the host is about to stop. */
  readonly mayBegin: () => void;
}

/** The maximum length in characters of a question with its context; about four characters make one token. */
const LONGEST = 400_000;
/** The maximum number of calls that are listed; the command line lists all calls. */
const MOST_CALLS = 5_000;

type Names = 'model.ask' | 'model.stop' | 'calls.list' | 'calls.search' | 'calls.show' | 'calls.rerun';

/** Keeps the running calls of each client, which are aborted when the client disconnects. */
function createStreams() {
  const clients = new WeakMap<Caller, Map<number, AbortController>>();
  const of = (caller: Caller): Map<number, AbortController> => {
    const known = clients.get(caller);
    if (known !== undefined) return known;
    const streams = new Map<number, AbortController>();
    clients.set(caller, streams);
    caller.onGone(() => {
      for (const stop of streams.values()) stop.abort(new RoboSmithError('refused', 'The client has disconnected.'));
    });
    return streams;
  };
  return {
    stop: (caller: Caller, stream: number): boolean => {
      const found = of(caller).get(stream);
      found?.abort(new RoboSmithError('refused', 'The request was cancelled.'));
      return found !== undefined;
    },
    /** Runs a call under its stream number, which can be used again afterwards. */
    during: async <Result>(caller: Caller, stream: number, work: (signal: AbortSignal) => Promise<Result>) => {
      const streams = of(caller);
      if (streams.has(stream))
        throw new RoboSmithError('usage', `Stream ${stream} is in use.`, { parameter: 'stream' });
      const stop = new AbortController();
      streams.set(stream, stop);
      try {
        return await work(stop.signal);
      } finally {
        streams.delete(stream);
      }
    },
  };
}

function callNamed(root: string, params: Params): CallRecord {
  const name = textOf(params, 'call', 64);
  const reading = projectCall(root, name);
  if (reading.kind === 'read') return reading.record;
  throw new RoboSmithError('usage', `There is no call "${name}" in .vision/logs that can be read.`, {
    parameter: 'call',
    next: ['robosmith calls'],
  });
}

const shown = (record: CallRecord): ShownCall => ({ record, request: requestText(record) });

function orderOf(origin: CallRecord, edited: string | null): AiOrder {
  const read = edited === null ? null : readRequestText(edited, requestText(origin));
  if (read?.ok === false) throw new RoboSmithError('usage', `Nothing was sent: ${read.problem}.`);
  const repeated = repeatCall(origin, read?.changes ?? {});
  if (repeated.ok) return repeated.order;
  const why = {
    agent: 'It is an execution of a coding agent, which changed files: run its block again instead.',
    empty: 'The request has no message left: a model needs at least one.',
    redacted: 'The request contained a key, which the log replaced by [key]: edit the request and replace [key].',
  }[repeated.why];
  throw new RoboSmithError('usage', `Nothing was sent. ${why}`);
}

const FAULTY = 'The manifest has errors, so its key pools and budgets are unknown; nothing was sent.';

async function graphOf(root: string): Promise<Graph> {
  const file = await manifestPath(root);
  const loaded = await loadManifest(path.join(root, file), { root });
  const graph = loaded?.compilation.workflow?.graph;
  if (graph !== undefined) return graph;
  const message = loaded === null ? `There is no ${file} here; nothing was sent.` : FAULTY;
  throw new RoboSmithError('precondition_failed', message, { next: ['robosmith validate'] });
}

/** Answers questions with the project's models and keys, and repeats logged calls. */
export function modelMethods({ root, call, checkTrust, mayBegin }: ModelMethodParts): Methods<Names> {
  const streams = createStreams();
  const send = async (caller: Caller, stream: number, order: (graph: Graph) => AiOrder): Promise<AiReply> => {
    mayBegin();
    await checkTrust();
    const graph = await graphOf(root);
    const made = order(graph);
    const sendText = (text: string): void => void caller.notify('model.text', { stream, text }).catch(() => undefined);
    return streams.during(caller, stream, (signal) => call(graph, made, signal, sendText));
  };
  return {
    'model.ask': async (given, caller) => {
      const params = paramsOf(given);
      const file = textOf(params, 'path', 4_096);
      const asked = {
        path: file,
        question: textOf(params, 'question', LONGEST),
        selection: textOf(params, 'selection', LONGEST),
        before: textOf(params, 'before', LONGEST),
        after: textOf(params, 'after', LONGEST),
        worker: optionalText(params, 'worker', 200),
      };
      if (!(await mayBeSent(root, path.resolve(root, file))))
        throw new RoboSmithError(
          'refused',
          `${file} is excluded by the rules for prompts, so it can't be sent to a model.`,
          { path: file },
        );
      return send(caller, countOf(params, 'stream'), (graph) => questionOrder(graph, asked));
    },
    'model.stop': (given, caller) => ({ stopped: streams.stop(caller, countOf(paramsOf(given), 'stream')) }),
    'calls.list': () => ({ calls: projectCalls(root).calls.slice(0, MOST_CALLS) }),
    'calls.search': (given) => ({ calls: projectCallsWith(root, textOf(paramsOf(given), 'text', 1_000)) }),
    'calls.show': (given) => shown(callNamed(root, paramsOf(given))),
    'calls.rerun': async (given, caller) => {
      const params = paramsOf(given);
      const origin = callNamed(root, params);
      const edited = optionalText(params, 'request', 2 * LONGEST);
      const reply = await send(caller, countOf(params, 'stream'), () => orderOf(origin, edited));
      return shown(callNamed(root, { call: reply.call }));
    },
  };
}
