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
import { PROVIDERS } from '#protocol/provider.ts';
import type { CallChanges, ShownCall } from '#protocol/host.ts';
import type { Caller, Methods } from './methods/methods.ts';
import { createStreams } from './methods/streams.ts';
import { countOf, oneOf, optionalText, type Params, paramsOf, textOf } from './methods/read-params.ts';

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

function changesOf(params: Params): CallChanges {
  if (params['changes'] === undefined) return {};
  const changes = paramsOf(params['changes']);
  const { temperature } = changes;
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0))
    throw new RoboSmithError('usage', '"temperature" must be a number from 0 on.', { parameter: 'temperature' });
  const [model, instructions, message] = (['model', 'instructions', 'message'] as const).map((name) =>
    optionalText(changes, name, 2 * LONGEST),
  );
  return {
    ...(changes['provider'] === undefined ? {} : { provider: oneOf(changes, 'provider', PROVIDERS) }),
    ...('baseUrl' in changes ? { baseUrl: optionalText(changes, 'baseUrl', 4_096) } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function orderOf(origin: CallRecord, edited: string | null, changes: CallChanges): AiOrder {
  const read = edited === null ? null : readRequestText(edited, requestText(origin));
  if (read?.ok === false) throw new RoboSmithError('usage', `Nothing was sent: ${read.problem}.`);
  const repeated = repeatCall(origin, { ...read?.changes, ...changes });
  if (repeated.ok) return repeated.order;
  const why = {
    agent: 'It is an execution of a coding agent, which changed files: run its block again instead.',
    empty: 'The request has no message left: a model needs at least one.',
    redacted: 'The request contained a key, which the log replaced by [key]: edit the request and replace [key].',
  }[repeated.why];
  throw new RoboSmithError('usage', `Nothing was sent. ${why}`);
}

/** All keys of the user, and no budget. */
const WITHOUT_MANIFEST = { pools: {}, budgets: {} };

const FAULTY = 'The manifest has errors, so its key pools and budgets are unknown; nothing was sent.';

/** Returns the graph of the project's manifest; null if there is no manifest. */
async function graphOf(root: string): Promise<Graph | null> {
  const loaded = await loadManifest(path.join(root, await manifestPath(root)), { root });
  if (loaded === null) return null;
  const graph = loaded.compilation.workflow?.graph;
  if (graph !== undefined) return graph;
  throw new RoboSmithError('precondition_failed', FAULTY, { next: ['robosmith validate'] });
}

async function questionGraph(root: string, graph: Graph | null): Promise<Graph> {
  if (graph !== null) return graph;
  const message = `There is no ${await manifestPath(root)} here; nothing was sent.`;
  throw new RoboSmithError('precondition_failed', message, { next: ['robosmith validate'] });
}

/** Answers questions with the project's models and keys, and repeats logged calls. */
export function modelMethods({ root, call, checkTrust, mayBegin }: ModelMethodParts): Methods<Names> {
  const streams = createStreams();
  const send = async (
    caller: Caller,
    stream: number,
    order: (graph: Graph | null) => AiOrder | Promise<AiOrder>,
  ): Promise<AiReply> => {
    mayBegin();
    await checkTrust();
    const graph = await graphOf(root);
    const made = await order(graph);
    const sendText = (text: string): void => void caller.notify('model.text', { stream, text }).catch(() => undefined);
    return streams.during(caller, stream, (signal) => call(graph ?? WITHOUT_MANIFEST, made, signal, sendText));
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
      return send(caller, countOf(params, 'stream'), async (graph) =>
        questionOrder(await questionGraph(root, graph), asked),
      );
    },
    'model.stop': (given, caller) => ({ stopped: streams.stop(caller, countOf(paramsOf(given), 'stream')) }),
    'calls.list': () => ({ calls: projectCalls(root).calls.slice(0, MOST_CALLS) }),
    'calls.search': (given) => ({ calls: projectCallsWith(root, textOf(paramsOf(given), 'text', 1_000)) }),
    'calls.show': (given) => shown(callNamed(root, paramsOf(given))),
    'calls.rerun': async (given, caller) => {
      const params = paramsOf(given);
      const origin = callNamed(root, params);
      const edited = optionalText(params, 'request', 2 * LONGEST);
      const changes = changesOf(params);
      const reply = await send(caller, countOf(params, 'stream'), () => orderOf(origin, edited, changes));
      const answered = shown(callNamed(root, { call: reply.call }));
      return reply.ok ? answered : { ...answered, failure: reply.message };
    },
  };
}
