import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ViewToHost } from '#protocol/generated/view.gen.ts';
import { asNode, type ProgramFiles } from './program-files.ts';
import { fileOfSession, inside, showChanges, showDifference } from './session-files.ts';
import { sessionNamed } from './workspace.ts';

const run = promisify(execFile);

export interface LocalParts {
  readonly root: string;
  readonly link: HostLink;
  readonly files: ProgramFiles;
}

async function showAt(uri: vscode.Uri, line: number | null, column = 1): Promise<null> {
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, column - 1));
  await vscode.window.showTextDocument(uri, line === null ? {} : { selection: new vscode.Range(at, at) });
  return null;
}

/**
 * Opens a terminal in a session's worktree, named after the session's branch. Throws if the session has no worktree.
 */
export async function openTerminal(link: HostLink, id: string): Promise<null> {
  const { branch, worktree, title } = await sessionNamed(link, id);
  if (worktree === null) throw new RoboSmithError('wrong_state', vscode.l10n.t('{0} has no worktree.', title));
  vscode.window.createTerminal({ name: branch, cwd: worktree }).show();
  return null;
}

/** Runs `robosmith init` in a project. Existing files are kept. */
export async function setUpProject(root: string, { cli }: ProgramFiles): Promise<void> {
  await run(process.execPath, [cli, '-C', root, 'init'], { env: asNode(process.env) });
}

async function openFile(
  { session, path: file, line }: Extract<ViewToHost, { command: 'openFile' }>['payload'],
  { root, link }: LocalParts,
): Promise<null> {
  const uri = session === null ? vscode.Uri.file(inside(root, file)) : await fileOfSession(link, session, file);
  return showAt(uri, line);
}

/**
 * Performs a view's request that only the editor can perform, such as opening a file. Returns null if the host handles
 * the message.
 */
export function actLocally(message: ViewToHost, parts: LocalParts): Promise<string | null> | null {
  const { root, link, files } = parts;
  switch (message.command) {
    case 'openFile':
      return openFile(message.payload, parts);
    case 'openDiff':
      return showDifference(link, message.payload.session, message.payload.path).then(() => null);
    case 'openChanges':
      return showChanges(link, message.payload, message.payload.path).then(() => null);
    case 'openTerminal':
      return openTerminal(link, message.payload.session);
    case 'openSource': {
      const { file, line, column } = message.payload.source;
      return showAt(vscode.Uri.file(path.resolve(root, file)), line, column);
    }
    case 'openProblems':
      return Promise.resolve(vscode.commands.executeCommand('workbench.actions.view.problems')).then(() => null);
    case 'openGuide':
      return Promise.resolve(vscode.commands.executeCommand('extension.open', 'robo-smith.robo-smith-extension')).then(
        () => null,
      );
    case 'createSample':
      return setUpProject(root, files).then(() => vscode.l10n.t('The sample is in .vision/workflows.json.'));
    default:
      return null;
  }
}
