import path from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '#protocol/message-of.ts';
import { assistantCommands } from './assistant-commands.ts';
import type { Command, CommandName } from './window/commands.ts';
import type { ProjectNames } from './calls/pick-call.ts';
import { storedSecrets } from './keys/stored-secrets.ts';
import { noticeClaims } from './notices/claim-notice.ts';
import { showNotices } from './notices/show-notices.ts';
import { openTerminal, setUpProject } from './window/local-actions.ts';
import { readGivenStart } from './window/new-workflow.ts';
import { nodeCommands } from './window/node-commands.ts';
import type { NavigatorParts } from './window/navigator-parts.ts';
import { navigate, startWorkflow } from './window/navigator.ts';
import { createInspectorPanel } from './open-inspector.ts';
import { openLink } from './open-link.ts';
import { planCommands } from './plan/plan-commands.ts';
import { createPlanView } from './plan/plan-view.ts';
import type { ProgramFiles } from './window/program-files.ts';
import { provideSessionFiles } from './window/session-files.ts';
import { createStatusItem } from './window/status-item.ts';
import { createViews, type Views } from './window/views.ts';
import { watchWindow } from './window/watch-window.ts';
import { createWindowState, type WindowState } from './window/window-state.ts';
import { createWorkspace } from './window/workspace.ts';

/** The views and commands of the extension within one project. */
export interface InProject {
  dispose(): void;
  readonly views: Views;
  readonly commands: Readonly<Record<CommandName, Command>>;
}

async function terminalOf({ state, workspace, link }: NavigatorParts): Promise<void> {
  const tabs = state.sessions().filter(({ hasWorktree, session }) => hasWorktree && session !== null);
  const here = tabs.find(({ session }) => session === workspace.session());
  const items = tabs.map((tab) => ({ label: tab.title, description: tab.branch ?? '', tab }));
  if (items.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t('No session has a worktree.'));
  const picked =
    here === undefined
      ? await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('In which worktree?') })
      : { tab: here };
  if (picked?.tab.session !== null && picked?.tab.session !== undefined) await openTerminal(link, picked.tab.session);
}

/** Returns the names by which the history of model calls can be searched. */
const namesIn = (state: WindowState): ProjectNames => ({
  workerOf: (block) =>
    state
      .graph()
      ?.nodes.flatMap(({ blocks }) => blocks)
      .find(({ id }) => id === block)?.worker ?? null,
  titleOf: (session, run) =>
    state.sessions().find((tab) => (session !== null && tab.session === session) || (run !== null && tab.run === run))
      ?.title ?? null,
});

/** Connects to the project's engine host and shows the project's state in the window. */
export function enterProject(
  root: string,
  context: vscode.ExtensionContext,
  files: ProgramFiles,
  log: (message: string) => void,
): InProject {
  const secrets = storedSecrets(context);
  const link = openLink(root, files, secrets);
  const project = path.basename(root);
  const workspace = createWorkspace(root, link, context.globalState);
  const folder = vscode.Uri.file(files.views);
  const claims = vscode.Uri.joinPath(context.globalStorageUri, 'notices').fsPath;
  const views = createViews({ link, project, folder, log, root, files });
  const state = createWindowState({ link, project, log });
  const assistant = assistantCommands({ root, link, secrets, names: namesIn(state) });
  const inspect = createInspectorPanel({ link, folder, log });
  const parts: NavigatorParts = { workspace, state, link, views };
  const plan = createPlanView({ root, files, state, log, memory: context.workspaceState });
  const watching = vscode.Disposable.from(
    new vscode.Disposable(plan.dispose),
    new vscode.Disposable(state.dispose),
    new vscode.Disposable(views.dispose),
    createStatusItem(workspace, state),
    provideSessionFiles(link),
    assistant.serving,
    watchWindow(state, views),
    showNotices(state, views, noticeClaims(claims, root, Date.now)),
    new vscode.Disposable(() => link.close()),
  );
  workspace.arrive().then(
    (wasOpen) => (wasOpen && !views.isOpen() ? views.reveal(workspace.session()) : undefined),
    (thrown: unknown) => log(messageOf(thrown)),
  );
  return {
    views,
    commands: {
      'roboSmith.navigate': () => navigate(parts),
      'roboSmith.openMissionControl': () => Promise.resolve(views.reveal()),
      'roboSmith.newWorkflow': (given: unknown) => startWorkflow(parts, readGivenStart(given)).then(() => undefined),
      'roboSmith.inbox': async () => (await import('./window/inbox.ts')).showInbox(parts),
      'roboSmith.openTerminal': () => terminalOf(parts),
      'roboSmith.cleanupWorktrees': async () => (await import('./window/clean-up.ts')).cleanUp(parts),
      'roboSmith.blockChanges': async () => (await import('./window/block-changes.ts')).pickBlockChanges(parts),
      ...nodeCommands(parts, files),
      ...planCommands(plan, parts),
      'roboSmith.notices': async () => (await import('./notices/set-up-notices.ts')).setUpNotices(root, files),
      'roboSmith.openInspector': () => Promise.resolve(inspect()),
      ...assistant.commands,
      'roboSmith.setUp': async () => {
        await setUpProject(root, files);
        void vscode.window.showInformationMessage(vscode.l10n.t('The workflow is in .vision/workflows.json.'));
      },
    },
    dispose: () => void watching.dispose(),
  };
}
