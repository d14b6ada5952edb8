import type { Engine } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { TASK_MARKER, type TaskAddress, type TaskStatus } from '#protocol/task-tree.ts';
import type { PickedTask, PlanEdited, PlanReset, TaskEdit, TaskOutcome } from '#protocol/task-work.ts';
import { stoppingError } from './begin-runs.ts';
import type { Caller, Methods } from './methods/methods.ts';
import { countOf, oneOf, optionalText, type Params, paramsOf, runOf, textOf } from './methods/read-params.ts';

type Names = 'tasks.edit' | 'tasks.pick' | 'tasks.begin' | 'tasks.changed' | 'tasks.settle';

interface TaskMethodParts {
  readonly engine: Pick<Engine, 'tasks' | 'newRun'>;
  readonly isStopping: () => boolean;
}

/** The work of one client on the plan. */
interface PlanWork {
  readonly caller: Caller;
  task: PickedTask | null;
  /** The run of the task, from its beginning until it is settled. */
  run: RunId | null;
}

const KINDS = ['add', 'set', 'remove', 'move', 'zoom_in', 'zoom_out', 'accept', 'restore'] as const;
const STATUSES = Object.keys(TASK_MARKER) as readonly TaskStatus[];
const OUTCOMES = ['completed', 'failed', 'cancelled', 'waits'] as const satisfies readonly TaskOutcome[];

/** The maximum length of the id, name or structure of a task. */
const LONGEST = 65_536;

function addressOf(value: unknown): TaskAddress {
  const address = paramsOf(value);
  const anchor = optionalText(address, 'anchor', LONGEST);
  const structure = optionalText(address, 'structure', LONGEST);
  return {
    id: textOf(address, 'id', LONGEST),
    ...(anchor === null ? {} : { anchor }),
    ...(structure === null ? {} : { structure }),
  };
}

function addOf(edit: Params): TaskEdit {
  const { under, before } = edit;
  const node = optionalText(edit, 'node', LONGEST);
  return {
    kind: 'add',
    name: textOf(edit, 'name', LONGEST),
    ...(node === null ? {} : { node }),
    ...(under === undefined ? {} : { under: addressOf(under) }),
    ...(before === undefined ? {} : { before: addressOf(before) }),
  };
}

function moveOf({ task: asked, before, under }: Params): TaskEdit {
  const task = addressOf(asked);
  if (before !== undefined) return { kind: 'move', task, before: addressOf(before) };
  return { kind: 'move', task, under: under === null ? null : addressOf(under) };
}

function editOf(given: Params): TaskEdit | PlanReset {
  const edit = paramsOf(given['edit']);
  const kind = oneOf(edit, 'kind', KINDS);
  switch (kind) {
    case 'add':
      return addOf(edit);
    case 'move':
      return moveOf(edit);
    case 'set':
      return { kind, task: addressOf(edit['task']), status: oneOf(edit, 'status', STATUSES) };
    case 'remove':
    case 'zoom_in':
      return { kind, task: addressOf(edit['task']) };
    case 'zoom_out':
    case 'accept':
    case 'restore':
      return { kind };
  }
}

const busyPlan = (): RoboSmithError =>
  new RoboSmithError('wrong_state', 'Another command works on the tasks of this project. Wait until it ends.', {
    next: ['robosmith tasks', 'robosmith runs'],
  });

/** Returns the methods for the work plan. `taskOf` returns the key of the task that a client has begun with a run. */
export function taskMethods({ engine: { tasks, newRun }, isStopping }: TaskMethodParts): {
  readonly methods: Methods<Names>;
  readonly taskOf: (run: RunId) => string | null;
} {
  let work: PlanWork | null = null;
  const mayBegin = (): void => {
    if (isStopping()) throw stoppingError();
  };
  const workOf = (caller: Caller): PlanWork => {
    if (work?.caller === caller) return work;
    if (work !== null) throw busyPlan();
    const begun: PlanWork = { caller, task: null, run: null };
    work = begun;
    // The intent of an unsettled task stays, so that the next client checks what its run has changed.
    caller.onGone(() => {
      work = null;
    });
    return begun;
  };
  const picked = (params: Params, { task }: PlanWork): PickedTask => {
    if (task !== null && task.key === textOf(params, 'key', LONGEST)) return task;
    throw new RoboSmithError('usage', '"key" must be the key of the task that was picked last.', { parameter: 'key' });
  };
  const edit = async (wanted: TaskEdit | PlanReset): Promise<PlanEdited> => {
    if (wanted.kind === 'accept') return { kind: 'accepted', accepted: await tasks.accept() };
    if (wanted.kind === 'restore') return { kind: 'restored', restored: await tasks.restore() };
    return { kind: 'edited', edited: await tasks.edit(wanted) };
  };
  return {
    taskOf: (run) => (work?.run === run ? (work.task?.key ?? null) : null),
    methods: {
      'tasks.edit': (given, { isLocal }) => {
        const params = paramsOf(given);
        const wanted = editOf(params);
        if (!isLocal) tasks.checkEditor(countOf(params, 'pid'));
        return edit(wanted);
      },
      'tasks.pick': async (_given, caller) => {
        mayBegin();
        const mine = workOf(caller);
        const found = await tasks.pick();
        mine.task = found.kind === 'task' ? found.task : null;
        return found;
      },
      'tasks.begin': async (given, caller) => {
        mayBegin();
        const params = paramsOf(given);
        const mine = workOf(caller);
        const task = picked(params, mine);
        const run = params['run'] === null ? newRun() : runOf(params);
        const start = await tasks.begin(task, run);
        if (start.kind === 'begun') mine.run = run;
        return { start, run };
      },
      'tasks.changed': async (_given, caller) => {
        workOf(caller);
        return { problems: await tasks.changedMeanwhile() };
      },
      'tasks.settle': async (given, caller) => {
        const params = paramsOf(given);
        const mine = workOf(caller);
        const settled = await tasks.settle(picked(params, mine), oneOf(params, 'outcome', OUTCOMES));
        mine.run = null;
        return settled;
      },
    },
  };
}
