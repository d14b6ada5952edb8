import { compareLogged, findManifest, readRequestText, repeatCall, requestText, verdictOf } from '#engine/authoring.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { type ChangedRequest, changesFrom, type ChangeFlags } from '../calls/changes-from.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printComparison } from '../print/call-comparison.ts';
import { printReruns } from '../print/call-reruns.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findCall } from '../project/find-call.ts';
import { inProject } from '../project/in-project.ts';
import { withClient } from '../run/with-client.ts';
import { askTrust } from '../trust/ask-trust.ts';
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
    const changed = await changesFrom(origin, options, root, io);
    checkOrder(origin, changed);
    await checkTrusted(root, io);
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const done = await withClient(root, { io, warn }, (client) => rerun(client, origin, times, changed, options, io));
    if (!done.ok) return printRefusal(done.refusal, options, io);
    const { made, stopped } = done.value;
    await report(origin, made, options, io);
    return stopped ? 130 : made.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
  });

/** Throws a usage error for a request that can't be sent. */
function checkOrder(origin: CallRecord, { request, changes }: ChangedRequest): void {
  const read = request === null ? null : readRequestText(request, requestText(origin));
  const repeated = repeatCall(origin, { ...(read?.ok === true ? read.changes : {}), ...changes });
  if (repeated.ok) return;
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

/** Asks whether the project is trusted if it was not before. The calls use its pools and budgets. */
async function checkTrusted(root: string, io: CliIo): Promise<void> {
  const file = await findManifest(root);
  if (file === null) return;
  const workflow = runnable(await openManifest(file, [root], io, root));
  if (workflow === null)
    throw usageError('Nothing was sent: the manifest has errors, so its key pools and budgets are unknown.', [
      'robosmith validate',
    ]);
  if ((await askTrust(workflow.graph, root, false, io)) !== null) return;
  throw usageError('This project runs commands or calls models, and it is not trusted yet; nothing was sent.', [
    'robosmith ui --trust',
  ]);
}

/** Sends the call as often as requested, or until Ctrl-C. */
async function rerun(
  client: HostClient,
  origin: CallRecord,
  times: number,
  changed: ChangedRequest,
  options: CallsRerunOptions,
  io: CliIo,
): Promise<{ readonly made: readonly CallRecord[]; readonly stopped: boolean }> {
  const made: CallRecord[] = [];
  let stopped = false;
  const streams = options.json !== true;
  const { paint, symbols } = styleFor(io.stderr, io);
  const { provider = origin.request.provider, model = origin.request.model } = changed.changes;
  if (streams) client.on('model.text', ({ text }) => io.stderr.write(harmless(text)));
  const stopListening = io.onInterrupt(() => {
    stopped = true;
    client.call('model.stop', { stream: made.length }).catch(() => undefined);
  });
  try {
    while (made.length < times && !stopped) {
      io.stderr.write(`${paint.bold(`${symbols.start} ${harmless(`${provider}/${model}`)}`)}\n`);
      const { record, failure } = await client.call('calls.rerun', {
        stream: made.length,
        call: origin.call,
        ...changed,
      });
      if (streams) io.stderr.write('\n');
      if (failure !== undefined)
        io.stderr.write(`${paint.red(`${symbols.bad} ${record.outcome}`)}  ${harmless(failure)}\n`);
      made.push(record);
    }
  } catch (thrown) {
    if (!stopped) throw thrown;
  } finally {
    stopListening();
  }
  return { made, stopped };
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
