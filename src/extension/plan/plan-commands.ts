import * as vscode from 'vscode';
import type { TaskLine } from '#protocol/task-plan.ts';
import type { TaskStatus } from '#protocol/task-tree.ts';
import type { Command, Commands } from '../window/commands.ts';
import type { NavigatorParts } from '../window/navigator-parts.ts';
import { startWorkflow } from '../window/navigator.ts';
import { addressOf, type PlanItem, type PlanListing } from './plan-tree.ts';
import type { PlanView } from './plan-view.ts';

/** Returns the plan, read first if the view was never shown. */
async function listed(plan: PlanView): Promise<PlanListing | null> {
  if (plan.listing() === null) await plan.refresh();
  return plan.listing();
}

/** Returns the task that a command was called on; from the command palette, lets the user pick one. */
async function taskOf(plan: PlanView, given: unknown): Promise<TaskLine | null> {
  const listing = await listed(plan);
  const own = (given as PlanItem | undefined)?.task;
  if (own !== undefined) return own;
  const items = (listing?.tasks ?? []).map((task) => ({
    label: `${'    '.repeat(task.depth)}${task.name}`,
    description: `${task.id}  ${task.status}`,
    task,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The work plan has no task yet.'));
    return null;
  }
  return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which task?') }))?.task ?? null;
}

/** Asks for a new task and adds it: at the end of the plan, or below another one. */
async function addTask(plan: PlanView, { state }: NavigatorParts, under: TaskLine | null): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: under === null ? vscode.l10n.t('New task') : vscode.l10n.t('New task below {0}', under.name),
    prompt: vscode.l10n.t('What should be done?'),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a name.') : null),
  });
  if (name === undefined) return;
  const person = { label: `$(person) ${vscode.l10n.t('A person does it')}`, node: null };
  await state.known();
  const nodes = (state.graph()?.nodes ?? []).map(({ id }) => ({ label: id, node: id }));
  const picked =
    nodes.length === 0
      ? person
      : await vscode.window.showQuickPick([person, ...nodes], { placeHolder: vscode.l10n.t('Who or what does it?') });
  if (picked === undefined) return;
  const place = under === null ? [] : ['--under', under.id];
  const node = picked.node === null ? [] : ['--node', picked.node];
  await plan.edit(['tasks', 'add', ...place, ...node, '--', name.trim()]);
}

const STATUSES = ['pending', 'active', 'done', 'skipped', 'failed'] as const satisfies readonly TaskStatus[];

async function setStatus(task: TaskLine, listing: PlanListing, plan: PlanView): Promise<void> {
  const others = STATUSES.filter((status) => status !== task.status);
  const status = await vscode.window.showQuickPick(others, { placeHolder: `${task.name}: ${task.status}` });
  if (status === undefined) return;
  const [id = '', ...address] = addressOf(task, listing);
  await plan.edit(['tasks', 'set', ...address, '--', id, status]);
}

async function removeTask(task: TaskLine, listing: PlanListing, plan: PlanView): Promise<void> {
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove {0} and the tasks below it?', task.name),
    { modal: true, detail: vscode.l10n.t('The old plan is kept in .flow/backups.') },
    vscode.l10n.t('Remove'),
  );
  if (answer !== undefined) await plan.edit(['tasks', 'remove', ...addressOf(task, listing)]);
}

/** Returns the commands of the work plan's view. */
export function planCommands(plan: PlanView, parts: NavigatorParts) {
  const onTask =
    (work: (task: TaskLine, listing: PlanListing) => Promise<void>): Command =>
    async (given) => {
      const task = await taskOf(plan, given);
      const listing = plan.listing();
      if (task !== null && listing !== null) await work(task, listing);
    };
  return {
    'roboSmith.addTask': () => addTask(plan, parts, null),
    'roboSmith.addSubtask': onTask((task) => addTask(plan, parts, task)),
    'roboSmith.setTaskStatus': onTask((task, listing) => setStatus(task, listing, plan)),
    'roboSmith.removeTask': onTask((task, listing) => removeTask(task, listing, plan)),
    'roboSmith.zoomIn': onTask((task, listing) => plan.edit(['zoom', 'in', ...addressOf(task, listing)])),
    'roboSmith.zoomOut': () => plan.edit(['zoom', 'out']),
    'roboSmith.acceptPlan': () => plan.edit(['tasks', 'accept']),
    'roboSmith.restorePlan': () => plan.edit(['tasks', 'restore']),
    'roboSmith.refreshPlan': () => plan.refresh(),
    'roboSmith.implementTask': onTask(async (task, listing) => {
      const { name, metadata } = task;
      const node = metadata['node'];
      const session = await startWorkflow(parts, { title: name, ...(node === undefined ? {} : { node }) });
      if (session !== null) await plan.began(task, listing, session.id);
    }),
  } satisfies Commands;
}
