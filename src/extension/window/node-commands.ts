import * as vscode from 'vscode';
import type { Command, Commands } from './commands.ts';
import type { NavigatorParts } from './navigator-parts.ts';
import { startWorkflow } from './navigator.ts';
import type { ProgramFiles } from './program-files.ts';

/** Runs RoboSmith's command line in a terminal that stays open after the program has ended. */
async function runProgram(name: string, root: string, { cli }: ProgramFiles, args: readonly string[]): Promise<void> {
  const execution = new vscode.ProcessExecution(process.execPath, [cli, '-C', root, ...args], {
    cwd: root,
    env: { ELECTRON_RUN_AS_NODE: '1' },
  });
  const task = new vscode.Task({ type: 'process' }, vscode.TaskScope.Workspace, name, 'RoboSmith', execution, []);
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    focus: true,
    clear: true,
    showReuseMessage: false,
  };
  await vscode.tasks.executeTask(task);
}

/**
 * Returns the node that the code lens passes. If the command palette called the command, lets the user pick a node;
 * null if none was picked.
 */
async function nodeOf(state: NavigatorParts['state'], given: unknown): Promise<string | null> {
  if (typeof given === 'string') return given;
  await state.known();
  const nodes = state.graph()?.nodes.map(({ id }) => id) ?? [];
  if (nodes.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The manifest has no node that can be run.'));
    return null;
  }
  return (await vscode.window.showQuickPick(nodes, { placeHolder: vscode.l10n.t('Which node?') })) ?? null;
}

const FOLDER = '.vision';

const ANSWERS = 'answers.json';

/**
 * Returns the path of the file with scripted answers: `answers.json` in the manifest's folder, else one that the user
 * picks. Null: none was picked.
 */
async function scriptOf(root: string): Promise<string | null> {
  const folder = vscode.Uri.joinPath(vscode.Uri.file(root), FOLDER);
  const files = await vscode.workspace.fs.readDirectory(folder);
  if (files.some(([name]) => name === ANSWERS)) return `${FOLDER}/${ANSWERS}`;
  const picked = await vscode.window.showOpenDialog({
    defaultUri: folder,
    filters: { JSON: ['json', 'jsonc'] },
    title: vscode.l10n.t('Which file has the scripted answers?'),
  });
  return picked?.[0]?.fsPath ?? null;
}

/**
 * Simulates a node with scripted answers in a terminal: it starts no worker processes, uses no network and writes no
 * files.
 */
async function simulate(root: string, node: string, files: ProgramFiles): Promise<void> {
  const script = await scriptOf(root);
  if (script === null) return;
  await runProgram(`simulate ${node}`, root, files, ['simulate', '--script', script, '--', node]);
}

/** Returns the commands that the code lenses above a node of the manifest call. */
export function nodeCommands(parts: NavigatorParts, files: ProgramFiles) {
  const { state, views, workspace } = parts;
  const withNode =
    (work: (node: string) => Promise<void> | void): Command =>
    async (given) => {
      const node = await nodeOf(state, given);
      if (node !== null) await work(node);
    };
  return {
    'roboSmith.runNode': withNode(async (node) => {
      await startWorkflow(parts, { node });
    }),
    'roboSmith.simulateNode': withNode((node) => simulate(workspace.root, node, files)),
    'roboSmith.showNode': withNode(async (node) => {
      await state.known();
      const found = state.graph()?.nodes.find(({ id }) => id === node);
      views.reveal(null);
      const entry = found?.entryBlock ?? null;
      if (entry !== null) views.goTo({ block: entry, halt: null });
    }),
  } satisfies Commands;
}
