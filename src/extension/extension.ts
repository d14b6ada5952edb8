import * as vscode from 'vscode';
import { findRoot, worktreeTop } from '#host/client/index.ts';
import { messageOf } from '#protocol/message-of.ts';
import { enterProject, type InProject } from './enter-project.ts';
import { setUpProject } from './local-actions.ts';
import { awaitManifest } from './manifest-language.ts';
import { programFiles } from './program-files.ts';
import { CHAT_VIEW, CONTEXT_VIEW, PANEL_TYPE, type Views } from './views.ts';

const NO_GIT = vscode.l10n.t('RoboSmith requires the project to be a Git repository to function.');

const COMMANDS = [
  ...['roboSmith.navigate', 'roboSmith.openMissionControl', 'roboSmith.newWorkflow', 'roboSmith.inbox'],
  'roboSmith.notices',
  ...['roboSmith.openTerminal', 'roboSmith.blockChanges', 'roboSmith.cleanupWorktrees', 'roboSmith.setUp'],
  ...['roboSmith.applyFix', 'roboSmith.discardFix'],
  ...['roboSmith.quickFix', 'roboSmith.calls', 'roboSmith.rerunCall', 'roboSmith.compareCalls'],
  ...['roboSmith.useWording', 'roboSmith.keys', 'roboSmith.addKey'],
  ...['roboSmith.runNode', 'roboSmith.simulateNode', 'roboSmith.showNode'],
  'roboSmith.openInspector',
  ...['roboSmith.addTask', 'roboSmith.addSubtask', 'roboSmith.setTaskStatus', 'roboSmith.removeTask'],
  ...['roboSmith.zoomIn', 'roboSmith.zoomOut', 'roboSmith.acceptPlan', 'roboSmith.restorePlan'],
  ...['roboSmith.refreshPlan', 'roboSmith.implementTask'],
];

/**
 * The API that the extension exports: how many milliseconds `activate` took, for tests and for users with a slow
 * editor.
 */
export interface ExtensionApi {
  readonly activationMs: number;
}

/**
 * Returns the root of the project that contains a folder; null outside a git repository. A repository without
 * RoboSmith's files is set up first.
 */
async function rootOf(folder: string, extensionFolder: string): Promise<string | null> {
  const top = await worktreeTop(folder);
  if (top === null) return null;
  const found = await findRoot(folder);
  if ('root' in found) return found.root;
  await setUpProject(top, programFiles(extensionFolder));
  return top;
}

/**
 * Registers the view providers at once, without waiting for the project: VS Code requests restored views right after a
 * restart, and only once.
 */
function registerViews(views: () => Promise<Views | null>): vscode.Disposable {
  const provide = (id: string): vscode.Disposable =>
    vscode.window.registerWebviewViewProvider(id, {
      resolveWebviewView: async (view) => (await views())?.resolve(id, view),
    });
  return vscode.Disposable.from(
    provide(CHAT_VIEW),
    provide(CONTEXT_VIEW),
    vscode.window.registerWebviewPanelSerializer(PANEL_TYPE, {
      deserializeWebviewPanel: async (restored) => {
        const found = await views();
        if (found === null) restored.dispose();
        else found.restore(restored);
      },
    }),
  );
}

/** Activates the extension. It returns before the project is found; commands wait until it is. */
export function activate(context: vscode.ExtensionContext): ExtensionApi {
  const began = performance.now();
  const output = vscode.window.createOutputChannel('RoboSmith', { log: true });
  const log = (message: string): void => output.info(message);
  let project: Promise<InProject | null> | null = null;

  const enter = async (): Promise<InProject | null> => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const root = folder === undefined ? null : await rootOf(folder, context.extensionPath);
    await vscode.commands.executeCommand('setContext', 'roboSmith.isGit', root !== null);
    if (root === null) {
      if (folder !== undefined) void vscode.window.showInformationMessage(NO_GIT);
      return null;
    }
    const entered = enterProject(root, context, programFiles(context.extensionPath), log);
    context.subscriptions.push(new vscode.Disposable(entered.dispose));
    return entered;
  };
  const perform = async (command: string, ...args: readonly unknown[]): Promise<void> => {
    try {
      const entered = await (project ??= enter());
      if (entered === null) return void vscode.window.showInformationMessage(NO_GIT);
      await entered.commands[command]?.(...args);
    } catch (thrown) {
      log(`${command}: ${messageOf(thrown)}`);
      void vscode.window.showErrorMessage(messageOf(thrown));
    }
  };
  context.subscriptions.push(
    output,
    registerViews(async () => (await (project ??= enter()))?.views ?? null),
    ...COMMANDS.map((command) =>
      vscode.commands.registerCommand(command, (...args: unknown[]) => perform(command, ...args)),
    ),
  );
  awaitManifest(context, log);
  setImmediate(() => {
    project ??= enter();
    project.catch((thrown: unknown) => {
      log(messageOf(thrown));
      void vscode.window.showErrorMessage(vscode.l10n.t("RoboSmith can't start: {0}", messageOf(thrown)));
    });
  });
  const activationMs = performance.now() - began;
  log(`activated in ${activationMs.toFixed(1)} ms`);
  return { activationMs };
}
