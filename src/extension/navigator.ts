import * as vscode from 'vscode';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import { type GivenStart, newWorkflow } from './new-workflow.ts';
import type { NavigatorParts } from './navigator-parts.ts';
import { sessionLine } from './status-item.ts';
import type { Views } from './views.ts';

interface Item extends vscode.QuickPickItem {
  readonly go?: () => Promise<void>;
}

/** Starts a workflow in a new session and shows it. The user is asked for what `given` does not contain. */
export async function startWorkflow(
  { workspace, state, link, views }: NavigatorParts,
  given: GivenStart = {},
): Promise<void> {
  await state.known();
  const graph = state.graph();
  if (graph === null) {
    const create = vscode.l10n.t('Create a Sample');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t('No workflow in this project yet. .vision/workflows.json describes one.'),
      create,
    );
    if (answer === create) await vscode.commands.executeCommand('roboSmith.setUp');
    return;
  }
  const session = await newWorkflow(workspace.root, graph, link, given);
  if (session !== null) views.reveal(session.id);
}

async function resumeHeld({ state, link, views }: NavigatorParts): Promise<void> {
  const held = state.sessions().filter((tab) => tab.state === 'held');
  if (held.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t('No session is held.'));
  const items = held.map((tab) => ({ label: sessionLine(tab), description: tab.branch ?? '', tab }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which session do you want to resume?'),
  });
  if (picked === undefined || picked.tab.session === null) return;
  await (await link.reach()).call('session.resume', { session: picked.tab.session as SessionId });
  views.reveal(picked.tab.key);
}

async function restoreDiscarded({ link, views }: NavigatorParts): Promise<void> {
  const client = await link.reach();
  const { sessions } = await client.call('session.list', {});
  const discarded = sessions.filter(({ state }) => state === 'discarded');
  if (discarded.length === 0)
    return void vscode.window.showInformationMessage(vscode.l10n.t('No session was discarded.'));
  const items = discarded.map((session) => ({ label: session.title, description: session.branch, id: session.id }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which session do you want to restore?'),
  });
  if (picked === undefined) return;
  const done = await client.call('session.restore', { session: picked.id });
  if (!done.ok) throw new RoboSmithError('refused', done.why);
  views.reveal(picked.id);
}

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });

function itemsOf(parts: NavigatorParts): readonly Item[] {
  const { workspace, state, views } = parts;
  const here = workspace.session();
  const enter = (session: string | null, key: string | null) => async (): Promise<void> => {
    await workspace.enter(session, views.isOpen() || key !== null);
    if (key !== null) views.reveal(key);
  };
  const sessions = state.sessions().map((tab): Item => {
    const isHere = tab.session !== null && tab.session === here;
    const go = tab.session !== null && tab.hasWorktree ? enter(tab.session, tab.key) : () => reveal(views, tab.key);
    return {
      label: sessionLine(tab),
      description: `${isHere ? `${vscode.l10n.t('this window')}  ` : ''}${tab.branch ?? tab.key}`,
      ...(tab.why === null ? {} : { detail: tab.why.split('\n')[0] ?? '' }),
      go,
    };
  });
  return [
    {
      label: `$(home) ${workspace.name}`,
      description:
        here === null
          ? `${vscode.l10n.t('this window')}  ${vscode.l10n.t('main project')}`
          : vscode.l10n.t('main project'),
      go: enter(null, null),
    },
    ...(sessions.length === 0 ? [] : [separator(vscode.l10n.t('Sessions')), ...sessions]),
    separator(vscode.l10n.t('Do')),
    { label: `$(add) ${vscode.l10n.t('New workflow…')}`, go: () => startWorkflow(parts) },
    { label: `$(debug-continue) ${vscode.l10n.t('Resume held…')}`, go: () => resumeHeld(parts) },
    { label: `$(discard) ${vscode.l10n.t('Restore discarded…')}`, go: () => restoreDiscarded(parts) },
    { label: `$(type-hierarchy) ${vscode.l10n.t('Open Mission Control')}`, go: () => reveal(views, undefined) },
    {
      label: `$(inbox) ${vscode.l10n.t('Inbox…')}`,
      description: String(state.inbox().length),
      go: async () => (await import('./inbox.ts')).showInbox(parts),
    },
  ];
}

const reveal = (views: Views, key: string | undefined): Promise<void> => {
  views.reveal(key);
  return Promise.resolve();
};

/** Shows the command list of the status bar item: sessions to go to, and actions such as starting a workflow. */
export async function navigate(parts: NavigatorParts): Promise<void> {
  const items = parts.state.known().then(() => itemsOf(parts));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Switch to a session, or choose an action'),
    matchOnDescription: true,
  });
  await picked?.go?.();
}
