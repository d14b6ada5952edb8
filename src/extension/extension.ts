import * as vscode from 'vscode';
import { messageOf } from '#protocol/message-of.ts';
import { COMMAND_NAMES, type CommandName } from './window/commands.ts';
import { enterProject, type InProject } from './enter-project.ts';
import { awaitManifest } from './manifest-language.ts';
import { programFiles } from './window/program-files.ts';
import { findProject, offerSetUp, type ProjectPlace, showOffer, showWelcome } from './set-up.ts';
import { CHAT_VIEW, CONTEXT_VIEW, PANEL_TYPE, type Views } from './window/views.ts';

const NO_GIT = vscode.l10n.t('RoboSmith requires the project to be a Git repository to function.');

/**
 * The API that the extension exports: how many milliseconds `activate` took, for tests and for users with a slow
 * editor.
 */
export interface ExtensionApi {
  readonly activationMs: number;
}

/**
 * Registers the view providers at once, without waiting for the project: VS Code requests restored views right after a
 * restart, and only once. `find` returns null if there is no project yet; then `welcome` fills the view.
 */
function registerViews(
  find: () => Promise<Views | null>,
  welcome: (id: string, view: vscode.WebviewView) => void,
): vscode.Disposable {
  const provide = (id: string): vscode.Disposable =>
    vscode.window.registerWebviewViewProvider(id, {
      resolveWebviewView: async (view) => {
        const found = await find();
        if (found === null) welcome(id, view);
        else found.resolve(id, view);
      },
    });
  return vscode.Disposable.from(
    provide(CHAT_VIEW),
    provide(CONTEXT_VIEW),
    vscode.window.registerWebviewPanelSerializer(PANEL_TYPE, {
      deserializeWebviewPanel: async (restored) => {
        const found = await find();
        if (found === null) restored.dispose();
        else found.restore(restored);
      },
    }),
  );
}

/** The project of the window's folder. */
interface WindowProject {
  /** Enters the project if it is set up; else returns null. */
  find(): Promise<InProject | null>;
  /** Like `find`, but offers to set the project up. */
  enter(): Promise<InProject | null>;
  /** Shows in a view that there is no project yet, until there is one. */
  welcome(id: string, view: vscode.WebviewView): void;
}

function windowProject(context: vscode.ExtensionContext, log: (message: string) => void): WindowProject {
  const files = programFiles(context.extensionPath);
  const waiting = new Map<string, vscode.WebviewView>();
  let place: Promise<ProjectPlace> | null = null;
  let entered: InProject | null = null;
  /** What the window shows instead of a project that is not set up. */
  let offer: vscode.Disposable | null = null;
  let isReported = false;

  const reportNoGit = (): void => {
    isReported = true;
    void vscode.window.showInformationMessage(NO_GIT);
  };
  const look = (): Promise<ProjectPlace> => (place ??= findProject(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath));
  const open = (root: string): InProject => {
    if (entered !== null) return entered;
    offer?.dispose();
    entered = enterProject(root, context, files, log);
    context.subscriptions.push(new vscode.Disposable(entered.dispose));
    for (const [id, view] of waiting) entered.views.resolve(id, view);
    waiting.clear();
    return entered;
  };
  const find = async (): Promise<InProject | null> => {
    const found = await look();
    if (found.kind === 'project') return open(found.root);
    if (found.kind === 'not set up') offer ??= showOffer();
    else if (found.hasFolder && !isReported) reportNoGit();
    return null;
  };
  return {
    find,
    enter: async () => {
      const wasReported = isReported;
      const known = await find();
      // Another program may have set the project up meanwhile.
      if (known === null) place = null;
      const found = known === null ? await look() : null;
      if (found === null) return known;
      if (found.kind === 'no git' && (wasReported || !isReported)) reportNoGit();
      if (found.kind === 'not set up') await offerSetUp(found, files);
      place = null;
      return find();
    },
    welcome: (id, view) => {
      waiting.set(id, view);
      view.onDidDispose(() => waiting.delete(id));
      void look().then((found) => showWelcome(view.webview, found, NO_GIT));
    },
  };
}

/** Activates the extension. It returns before the project is found; commands wait until it is. */
export function activate(context: vscode.ExtensionContext): ExtensionApi {
  const began = performance.now();
  const output = vscode.window.createOutputChannel('RoboSmith', { log: true });
  const log = (message: string): void => output.info(message);
  const project = windowProject(context, log);
  const perform = async (command: CommandName, ...args: readonly unknown[]): Promise<void> => {
    try {
      const entered = await project.enter();
      await entered?.commands[command](...args);
    } catch (thrown) {
      log(`${command}: ${messageOf(thrown)}`);
      void vscode.window.showErrorMessage(messageOf(thrown));
    }
  };
  context.subscriptions.push(
    output,
    registerViews(async () => (await project.find())?.views ?? null, project.welcome),
    ...COMMAND_NAMES.map((command) =>
      vscode.commands.registerCommand(command, (...args: unknown[]) => perform(command, ...args)),
    ),
  );
  awaitManifest(context, log);
  setImmediate(() => {
    project.find().catch((thrown: unknown) => {
      log(messageOf(thrown));
      void vscode.window.showErrorMessage(vscode.l10n.t("RoboSmith can't start: {0}", messageOf(thrown)));
    });
  });
  const activationMs = performance.now() - began;
  log(`activated in ${activationMs.toFixed(1)} ms`);
  return { activationMs };
}
