import type { PickedTask, TaskNotices, TaskOutcome } from '#protocol/task-work.ts';
import type { TaskProblem, TaskStatus } from '#protocol/task-tree.ts';
import type { Reason, Response } from '#protocol/response.ts';
import type { WorkedTask, WorkEnd } from '../print/json-documents.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { runTask, type TaskRan, type TaskRunParts } from './run-task.ts';

type WorkResult =
  | {
      readonly ok: true;
      readonly ended: WorkEnd;
      readonly exit: number;
      readonly worked: readonly WorkedTask[];
      /** The number of open tasks outside of the scope. */
      readonly outside: number;
    }
  /** The problem was already printed; the value is the exit code. */
  | { readonly ok: false; readonly printedExit: number }
  | {
      readonly ok: false;
      readonly problems: readonly TaskProblem[];
      readonly notices: TaskNotices;
      readonly worked: readonly WorkedTask[];
    };

export interface WorkWatcher {
  /** Reports changes by other programs. An exit code stops the work. */
  notices(notices: TaskNotices, worked: readonly WorkedTask[]): number | null;
  /** Called before saving. An exit code refuses to overwrite changes by other programs. */
  beforeSaving(worked: readonly WorkedTask[]): Promise<number | null>;
  /** Reports changes that other programs made right before saving. */
  saved(notices: TaskNotices): void;
  begins(task: PickedTask): void;
  /** Called when the result of an earlier run is used. */
  takesOver(task: PickedTask, run: string): void;
  unsafe(run: string, worked: readonly WorkedTask[]): number;
  settled(task: WorkedTask, most: number): void;
  isInterrupted(): boolean;
}

/** Reasons of failures that would occur again if the task were repeated. */
const NOT_WORTH_A_RETRY: ReadonlySet<Reason> = new Set<Reason>([
  'max_steps_exceeded',
  'max_run_steps_exceeded',
  'max_depth_exceeded',
  'condition_resolution_error',
  'unsafe_to_retry',
  'unknown_node',
  'invalid_input',
]);

/** Ends that do not count as failures: the run did not start, or its result is unknown. */
const NO_RESULT: ReadonlySet<Reason> = new Set<Reason>(['halted', 'interrupted', 'corrupt_state', 'state_not_saved']);

function outcomeOf(ran: Extract<TaskRan, { kind: 'over' | 'ran' }>): TaskOutcome {
  if (ran.kind === 'over') return ran.outcome;
  const { reason, metadata } = ran.response;
  if (reason === null) return 'completed';
  if (reason === 'cancelled') return 'cancelled';
  return metadata.run_id === null || NO_RESULT.has(reason) ? 'waits' : 'failed';
}

function endOf(
  outcome: TaskOutcome,
  status: TaskStatus | null,
  response: Response | null,
  mayRetry: boolean,
): WorkEnd | null {
  if (outcome === 'completed') return null;
  if (outcome === 'failed') {
    if (status === 'failed') return 'given_up';
    const reason = response?.reason ?? 'worker_error';
    return mayRetry && status === 'active' && !NOT_WORTH_A_RETRY.has(reason) ? null : 'failed';
  }
  if (outcome === 'cancelled') return 'failed';
  const reason = response?.reason;
  return reason === 'halted' ? 'waits' : reason === 'interrupted' ? 'interrupted' : 'refused';
}

/** Works on tasks until none is left or one needs a person; on one task only if `single`. */
export async function workOn(
  parts: Omit<TaskRunParts, 'reporter'> & { readonly reporterFor: () => TaskRunParts['reporter'] },
  single: boolean,
  watcher: WorkWatcher,
): Promise<WorkResult> {
  const { client } = parts;
  const worked: WorkedTask[] = [];
  const ended = (end: WorkEnd, exit: number, outside = 0): WorkResult => ({
    ok: true,
    ended: end,
    exit,
    worked,
    outside,
  });
  const alreadyPrinted = (exit: number): WorkResult => ({ ok: false, printedExit: exit });
  for (;;) {
    if (watcher.isInterrupted()) return ended('interrupted', 0);
    const picked = await client.call('tasks.pick', {});
    const refused = watcher.notices(picked.notices, worked);
    if (refused !== null) return alreadyPrinted(refused);
    if (picked.kind === 'problems') return { ok: false, problems: picked.problems, notices: picked.notices, worked };
    if (picked.kind === 'none') return ended('none_left', picked.failed > 0 ? 3 : 0, picked.outside);
    const { task } = picked;
    watcher.begins(task);
    const reporter = parts.reporterFor();
    const ran = await runTask(task, { ...parts, reporter });
    if (ran.kind === 'problems') return { ok: false, problems: ran.problems, notices: ran.notices, worked };
    if (ran.kind === 'unsafe') {
      const { id, name, record } = task;
      worked.push({ id, name, run: ran.run, status: 'active', failures: record.failures, response: null });
      return alreadyPrinted(watcher.unsafe(ran.run, worked));
    }
    if (ran.kind === 'given_up') {
      const { id, name, record } = task;
      const one: WorkedTask = { id, name, run: record.run, status: 'failed', failures: ran.failures, response: null };
      worked.push(one);
      watcher.settled(one, task.most);
      return ended('given_up', 1);
    }
    const outcome = outcomeOf(ran);
    // Only the run is recorded so far. Its result is recorded once the person has decided about the changes.
    const unwanted = await watcher.beforeSaving(worked);
    if (unwanted !== null) return alreadyPrinted(unwanted);
    const changed = ran.kind === 'ran' ? (await client.call('tasks.changed', {})).problems : [];
    if (changed.length > 0) {
      if (ran.kind === 'ran') reporter.ended(ran.response);
      return { ok: false, problems: changed, notices: { ...picked.notices, changed: [] }, worked };
    }
    const settled = await client.call('tasks.settle', { key: task.key, outcome });
    if (ran.kind === 'over') watcher.takesOver(task, ran.run);
    else reporter.ended(ran.response);
    watcher.saved(settled.notices);
    if (!settled.ok) return { ok: false, problems: settled.problems, notices: settled.notices, worked };
    const response = ran.kind === 'ran' ? ran.response : null;
    const one: WorkedTask = {
      id: task.id,
      name: task.name,
      run: ran.run,
      status: settled.status,
      failures: settled.failures,
      response,
    };
    worked.push(one);
    watcher.settled(one, task.most);
    const isOver = ran.kind === 'over' && ran.outcome === 'failed';
    const end = endOf(outcome, settled.status, response, !single || isOver);
    if (end !== null) return ended(end, response === null ? 1 : exitCode(response));
    if (single && outcome === 'completed') return ended('one', 0);
  }
}
