import * as vscode from 'vscode';
import type { ProgramFiles } from './program-files.ts';

/** Runs RoboSmith's command line in a terminal that stays open after the program has ended. */
export async function runProgram(
  name: string,
  root: string,
  { cli }: ProgramFiles,
  args: readonly string[],
): Promise<void> {
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
