import * as vscode from 'vscode';
import type { NavigatorParts } from './navigator-parts.ts';
import { startWorkflow } from './navigator.ts';
import type { ProgramFiles } from './program-files.ts';
import { runProgram } from './run-program.ts';

type Command = (...args: readonly unknown[]) => Promise<void>;

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
export function nodeCommands(parts: NavigatorParts, files: ProgramFiles): Readonly<Record<string, Command>> {
  const { state, views, workspace } = parts;
  const withNode =
    (work: (node: string) => Promise<void> | void): Command =>
    async (given) => {
      const node = await nodeOf(state, given);
      if (node !== null) await work(node);
    };
  return {
    'roboSmith.runNode': withNode((node) => startWorkflow(parts, { node })),
    'roboSmith.simulateNode': withNode((node) => simulate(workspace.root, node, files)),
    'roboSmith.showNode': withNode(async (node) => {
      await state.known();
      const found = state.graph()?.nodes.find(({ id }) => id === node);
      views.reveal(null);
      const entry = found?.entryBlock ?? null;
      if (entry !== null) views.goTo({ block: entry, halt: null });
    }),
  };
}
