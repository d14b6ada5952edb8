import path from 'node:path';
import * as vscode from 'vscode';
import type { TaskLine } from '#protocol/task-plan.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ProgramFiles } from '../window/program-files.ts';
import { sessionLine } from '../window/status-item.ts';
import type { WindowState } from '../window/window-state.ts';
import { moveArguments, nestTasks, type PlanItem, type PlanListing } from './plan-tree.ts';
import { runTasks } from './run-tasks.ts';

export const PLAN_VIEW = 'roboSmith.workPlan';
const DRAGGED = 'application/vnd.code.tree.robosmith.workplan';
/** The time in milliseconds without further changes after which the plan is read again. */
const QUIET_MS = 200;

const ICONS = {
  pending: 'circle-large-outline',
  active: 'play-circle',
  done: 'pass-filled',
  skipped: 'circle-slash',
  failed: 'error',
} as const;

/** The work plan, shown as a tree. */
export interface PlanView {
  dispose(): void;
  /** Returns the plan as last read; null if it can't be read. */
  readonly listing: () => PlanListing | null;
  /** Runs an edit of the plan, given as arguments of `robosmith`, and shows the result. */
  edit(args: readonly string[]): Promise<void>;
  refresh(): Promise<void>;
  /** Records that a session was started for a task. */
  began(task: TaskLine, listing: PlanListing, session: string): Promise<void>;
}

interface PlanViewParts {
  readonly root: string;
  readonly files: ProgramFiles;
  readonly state: WindowState;
  readonly log: (message: string) => void;
  /** Remembers which session was started for which task. */
  readonly memory: vscode.Memento;
}

const SESSIONS = 'roboSmith.taskSessions';

/** The maximum number of tasks whose sessions are remembered. */
const MOST_SESSIONS = 200;

const keyOf = ({ id, name }: TaskLine, { scope }: PlanListing): string => `${scope.join('>')}#${id} ${name}`;

const sessionsIn = (memory: vscode.Memento): Readonly<Record<string, string>> => memory.get(SESSIONS) ?? {};

/** Returns a note on the progress of a task: its session, the number of its failures, or what it runs. */
function noteOf(task: TaskLine, listing: PlanListing, state: WindowState, memory: vscode.Memento): string {
  const { metadata, failures, run } = task;
  const own = sessionsIn(memory)[keyOf(task, listing)];
  const tab = state
    .sessions()
    .find((one) => (own !== undefined && one.session === own) || (run !== null && one.run === run));
  if (tab !== undefined) return sessionLine(tab).replace(` ${tab.title}`, '');
  if (failures > 0) return vscode.l10n.t('failed {0} times', failures);
  return metadata['node'] ?? '';
}

function treeItem(
  { task, children }: PlanItem,
  listing: PlanListing,
  state: WindowState,
  memory: vscode.Memento,
): vscode.TreeItem {
  const { Expanded, Collapsed, None } = vscode.TreeItemCollapsibleState;
  const isFinished = task.status === 'done' || task.status === 'skipped';
  const item = new vscode.TreeItem(task.name, children.length === 0 ? None : isFinished ? Collapsed : Expanded);
  // VS Code remembers per id whether an item is open. A task that gets its first subtask is shown open.
  item.id = `${keyOf(task, listing)}${children.length === 0 ? '' : ' …'}`;
  item.description = noteOf(task, listing, state, memory);
  item.iconPath = new vscode.ThemeIcon(
    ICONS[task.status],
    task.id === listing.active ? new vscode.ThemeColor('charts.blue') : undefined,
  );
  item.contextValue = `task.${isFinished ? 'finished' : 'open'}`;
  item.tooltip = `${task.id}  ${task.name}\n${task.status}${task.run === null ? '' : `, ${task.run}`}`;
  item.accessibilityInformation = { label: `${task.id} ${task.name}, ${task.status}` };
  return item;
}

/** Returns the text above the tree: the file that was zoomed into, and whether someone else has changed the plan. */
function messageFor(listing: PlanListing): string {
  const file = listing.scope.at(-1);
  const lines = [
    ...(file === undefined ? [] : [vscode.l10n.t('Zoomed in: .flow/{0}', file)]),
    ...(listing.changed.length === 0
      ? []
      : [vscode.l10n.t('The plan was changed outside of RoboSmith. Accept the change, or restore the saved plan.')]),
  ];
  return lines.join('\n');
}

/** Calls `read` once the project's plan files have not changed for a moment. */
function watchPlan(root: string, read: () => void): vscode.Disposable {
  const pattern = (glob: string) => new vscode.RelativePattern(vscode.Uri.file(path.join(root, '.flow')), glob);
  const watchers = ['status.{md,meta}', 'sub_flows/*.md'].map((glob) =>
    vscode.workspace.createFileSystemWatcher(pattern(glob)),
  );
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(read, QUIET_MS);
  };
  const heard = watchers.flatMap((one) => [one.onDidChange(soon), one.onDidCreate(soon), one.onDidDelete(soon)]);
  return vscode.Disposable.from(...watchers, ...heard, new vscode.Disposable(() => clearTimeout(timer)));
}

/** Creates the view of the work plan. Nothing is read until the view is shown for the first time. */
export function createPlanView({ root, files, state, log, memory }: PlanViewParts): PlanView {
  const changed = new vscode.EventEmitter<void>();
  let listing: PlanListing | null = null;
  let roots: readonly PlanItem[] = [];
  let isRead = false;

  const read = async (): Promise<void> => {
    isRead = true;
    try {
      listing = await runTasks<PlanListing>(root, files, ['tasks']);
      roots = nestTasks(listing.tasks);
      view.message = messageFor(listing);
    } catch (thrown) {
      [listing, roots] = [null, []];
      view.message = messageOf(thrown);
      log(`work plan: ${messageOf(thrown)}`);
    }
    await vscode.commands.executeCommand('setContext', 'roboSmith.planZoomed', (listing?.scope.length ?? 0) > 0);
    await vscode.commands.executeCommand('setContext', 'roboSmith.planChanged', (listing?.changed.length ?? 0) > 0);
    changed.fire();
  };
  const edit = async (args: readonly string[]): Promise<void> => {
    try {
      await runTasks(root, files, args);
    } finally {
      await read();
    }
  };
  const provider: vscode.TreeDataProvider<PlanItem> = {
    onDidChangeTreeData: changed.event,
    getChildren: async (item) => {
      if (item !== undefined) return [...item.children];
      if (!isRead) await read();
      return [...roots];
    },
    getTreeItem: (item) =>
      listing === null ? new vscode.TreeItem(item.task.name) : treeItem(item, listing, state, memory),
  };
  const dragAndDropController: vscode.TreeDragAndDropController<PlanItem> = {
    dragMimeTypes: [DRAGGED],
    dropMimeTypes: [DRAGGED],
    handleDrag: ([first], data) => data.set(DRAGGED, new vscode.DataTransferItem(first?.task)),
    handleDrop: async (target, data) => {
      const dragged = data.get(DRAGGED)?.value as TaskLine | undefined;
      const args =
        dragged === undefined || listing === null ? null : moveArguments(dragged, target?.task ?? null, listing);
      if (args === null) return;
      await edit(['tasks', ...args]).catch((thrown: unknown) => vscode.window.showErrorMessage(messageOf(thrown)));
    },
  };
  const view = vscode.window.createTreeView(PLAN_VIEW, {
    treeDataProvider: provider,
    dragAndDropController,
    showCollapseAll: true,
  });
  const watching = vscode.Disposable.from(
    view,
    changed,
    watchPlan(root, () => void (view.visible ? read() : undefined)),
    view.onDidChangeVisibility(({ visible }) => void (visible ? read() : undefined)),
    state.onChange(() => changed.fire()),
  );
  const began: PlanView['began'] = async (task, of, session) => {
    const others = Object.entries(sessionsIn(memory)).filter(([key]) => key !== keyOf(task, of));
    await memory.update(SESSIONS, Object.fromEntries([...others, [keyOf(task, of), session]].slice(-MOST_SESSIONS)));
    changed.fire();
  };
  return { listing: () => listing, edit, began, refresh: read, dispose: () => void watching.dispose() };
}
