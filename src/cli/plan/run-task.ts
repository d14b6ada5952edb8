import { mayRetryTask, runDetails, type RunDetails } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { PickedTask, TaskStart } from '#protocol/task-work.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import type { Reporter } from '../print/reporter.ts';
import { isScriptedIn } from '../print/scripted-blocks.ts';
import { stateTroubleOf } from '../project/state-trouble.ts';
import { askerFor } from '../run/asker.ts';
import { followInHost } from '../run/follow-in-host.ts';
import { resumeRun } from '../run/resume-run.ts';
import { rememberDirectory } from '../trust/confirm-directory.ts';
import { prepareTask, type TaskRunFlags } from './prepare-task.ts';

export interface TaskRunParts {
  readonly client: HostClient;
  readonly root: string;
  /** The absolute working directory. */
  readonly directory: string;
  /** The same command with `--trust` added, shown in the message. */
  readonly trusting: string;
  readonly flags: TaskRunFlags & { readonly json?: true; readonly jsonl?: true };
  readonly reporter: Reporter;
  readonly io: CliIo;
}

export type TaskRan =
  /** The run of the task has ended, but its result was not recorded. */
  | { readonly kind: 'over'; readonly run: RunId; readonly outcome: 'completed' | 'failed' }
  /**
   * The run has failed, and only a person may execute its last block again, because that could repeat its side effects.
   */
  | { readonly kind: 'unsafe'; readonly run: RunId }
  | { readonly kind: 'ran'; readonly run: RunId | null; readonly response: Response }
  | Exclude<TaskStart, { readonly kind: 'begun' }>;

type Stand = { readonly details: RunDetails } | { readonly trouble: Response } | null;

/** Returns the details of a task's run, or the problem with its stored state; null if there is no run to continue. */
function standOf({ record: { run } }: PickedTask, root: string): Stand {
  if (run === null) return null;
  const id = run as RunId;
  try {
    const details = runDetails(root, id);
    return details === null || details.listing.summary.status === 'cancelled' ? null : { details };
  } catch (thrown) {
    const trouble = stateTroubleOf(thrown, root, id);
    if (trouble === null) throw thrown;
    return { trouble };
  }
}

/** Resumes a task's run, records its result, or starts one. Finished work is never repeated. */
export async function runTask(task: PickedTask, parts: TaskRunParts): Promise<TaskRan> {
  const stand = standOf(task, parts.root);
  if (stand === null) return startRun(task, parts);
  if ('trouble' in stand) return { kind: 'ran', run: null, response: stand.trouble };
  const { run, summary } = stand.details.listing;
  if (summary.status === 'completed') return { kind: 'over', run, outcome: 'completed' };
  if (summary.status === 'failed' && !task.record.counted) return { kind: 'over', run, outcome: 'failed' };
  if (summary.status === 'failed' && !mayRetryTask(parts.root, run)) return { kind: 'unsafe', run };
  return resumeTaskRun(task, stand.details, parts);
}

async function resumeTaskRun(task: PickedTask, details: RunDetails, parts: TaskRunParts): Promise<TaskRan> {
  const { client, root, flags, reporter, io, trusting } = parts;
  const { run, summary } = details.listing;
  const { start } = await client.call('tasks.begin', { key: task.key, run });
  if (start.kind !== 'begun') return start;
  const retry = summary.status === 'failed' ? { guidance: undefined } : null;
  const how = { root, details, given: [], retry, migrate: false, trust: flags.trust === true, trusting, client };
  return { kind: 'ran', run, response: await resumeRun(how, reporter, flags, io) };
}

async function startRun(task: PickedTask, parts: TaskRunParts): Promise<TaskRan> {
  const { client, root, directory, flags, reporter, io } = parts;
  const prepared = await prepareTask(task, flags, parts, io);
  if ('reason' in prepared) return { kind: 'ran', run: null, response: prepared };
  const { graph, start, environment, shownFile, ...flow } = prepared;
  await rememberDirectory(root, directory, io);
  const begun = await client.call('tasks.begin', { key: task.key, run: null });
  if (begun.start.kind !== 'begun') return begun.start;
  const { run } = begun;
  const response = await followInHost(
    client,
    {
      root,
      elsewhere: false,
      isOfSession: false,
      graph,
      given: [],
      begin: (host) =>
        host.call('run.start', {
          start,
          run,
          directory,
          ...flow,
          input: task.name,
          script: null,
          step: false,
          environment,
        }),
      beginning: (kept) => ({
        graph,
        start,
        kept,
        shownFile,
        notes: [kept.run, `in ${shownPath(directory, io)}`],
        isScripted: isScriptedIn(graph, new Set()),
      }),
    },
    { reporter, ask: askerFor(graph, root, reporter, flags, io), io },
  );
  return { kind: 'ran', run, response };
}
