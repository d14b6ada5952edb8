import { compareLogged, repeatCall, verdictOf } from '#engine/authoring.ts';
import type { Engine } from '#engine/index.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { changesFrom, type ChangeFlags } from '../calls/changes-from.ts';
import { poolsAndBudgets } from '../calls/pools-and-budgets.ts';
import { printComparison } from '../print/call-comparison.ts';
import { printReruns } from '../print/call-reruns.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findCall } from '../project/find-call.ts';
import { inProject } from '../project/in-project.ts';
import { withEngine } from '../run/with-engine.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface CallsRerunOptions extends ChangeFlags {
  readonly times?: string;
  readonly json?: true;
}

/** The maximum number of repeats in one command: each one is billed. */
const MOST = 100;

function timesOf({ times = '1' }: CallsRerunOptions, call: string): number {
  const number = /^\d{1,3}$/.test(times) ? Number(times) : 0;
  if (number >= 1 && number <= MOST) return number;
  throw usageError(`"${times}" is not a number from 1 to ${MOST}.`, [`robosmith calls rerun ${call} --times 3`]);
}

/** Sends a logged call again, unchanged or edited, and prints its answer beside the original one. */
export const callsRerun = (name: string, options: CallsRerunOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const origin = findCall(name, root);
    const times = timesOf(options, origin.call);
    const order = orderFor(origin, await changesFrom(origin, options, root, io));
    const graph = await poolsAndBudgets(root, io);
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withEngine(root, warn, async (engine) => {
      const made: CallRecord[] = [];
      const stop = new AbortController();
      const listening = io.onInterrupt(() => stop.abort(new Error('interrupted')));
      try {
        while (made.length < times && !stop.signal.aborted)
          made.push(await once(engine, graph, order, { root, options, stop: stop.signal, io }));
      } catch (thrown) {
        if (!stop.signal.aborted) throw thrown;
      } finally {
        listening();
      }
      return { made, stopped: stop.signal.aborted };
    });
    if (!done.ok) return printRefusal(done.refusal, options, io);
    const { made, stopped } = done.value;
    await report(origin, made, options, io);
    return stopped ? 130 : made.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
  });

function orderFor(origin: CallRecord, changes: Parameters<typeof repeatCall>[1]): AiOrder {
  const repeated = repeatCall(origin, changes);
  if (repeated.ok) return repeated.order;
  const { call } = origin;
  if (repeated.why === 'empty')
    throw usageError('The edited request has no message. A model call needs at least one.', [
      `robosmith calls show ${call}`,
    ]);
  if (repeated.why === 'agent')
    throw usageError(
      `${call} is an execution of a coding agent and may have changed files. Run its block again instead.`,
      [`robosmith calls show ${call}`],
    );
  throw usageError(
    `The request of ${call} contained a key, which the log replaced by [key], so it can't be sent unchanged. Edit it and replace [key].`,
    [`robosmith calls rerun ${call} --edit`],
  );
}

interface Where {
  readonly root: string;
  readonly options: CallsRerunOptions;
  readonly stop: AbortSignal;
  readonly io: CliIo;
}

async function once(
  engine: Engine,
  graph: Parameters<Engine['call']>[0],
  order: AiOrder,
  { root, options, stop, io }: Where,
): Promise<CallRecord> {
  const streams = options.json !== true;
  const { paint, symbols } = styleFor(io.stderr, io);
  const { provider, model } = order.request;
  io.stderr.write(`${paint.bold(`${symbols.start} ${harmless(`${provider}/${model}`)}`)}\n`);
  const printText = (text: string): void => io.stderr.write(harmless(text));
  // Each repeat is a separate request object: active calls are identified by it.
  const reply = await engine.call(
    graph,
    { ...order, request: { ...order.request } },
    stop,
    streams ? printText : () => undefined,
  );
  if (streams) io.stderr.write('\n');
  if (!reply.ok) io.stderr.write(`${paint.red(`${symbols.bad} ${reply.kind}`)}  ${harmless(reply.message)}\n`);
  return findCall(reply.call, root);
}

async function report(
  origin: CallRecord,
  made: readonly CallRecord[],
  { json }: CallsRerunOptions,
  io: CliIo,
): Promise<void> {
  const reruns = [];
  for (const call of made)
    reruns.push({ call, verdict: await verdictOf(call), comparison: await compareLogged(origin, call) });
  if (json === true) return printJson({ ok: true, origin: origin.call, calls: reruns }, io.stdout);
  const [first] = reruns;
  if (first === undefined) return;
  if (reruns.length === 1) printComparison(first.comparison, io);
  else printReruns({ call: origin, verdict: await verdictOf(origin) }, reruns, io);
  const last = made.at(-1)?.call ?? '';
  printNext(
    reruns.length === 1
      ? [`robosmith calls show ${last}`, `robosmith calls rerun ${last} --edit`]
      : made.slice(0, 3).map(({ call }) => `robosmith calls diff ${origin.call} ${call}`),
    io,
  );
}
