import path from 'node:path';
import * as vscode from 'vscode';
import { findRoot, worktreeTop } from '#host/client/index.ts';
import { setUpProject } from './window/local-actions.ts';
import { PLAN_VIEW } from './plan/plan-view.ts';
import type { ProgramFiles } from './window/program-files.ts';

/** What RoboSmith finds at a window's folder. */
export type ProjectPlace =
  | { readonly kind: 'no git'; readonly hasFolder: boolean }
  /** `top` is the top folder of the git repository around `folder`. */
  | { readonly kind: 'not set up'; readonly folder: string; readonly top: string }
  | { readonly kind: 'project'; readonly root: string };

/** Finds the project of a folder, and shows commands and views that fit. Writes nothing. */
export async function findProject(folder: string | undefined): Promise<ProjectPlace> {
  const top = folder === undefined ? null : await worktreeTop(folder);
  const found = top === null || folder === undefined ? null : await findRoot(folder);
  const root = found !== null && 'root' in found ? found.root : null;
  await vscode.commands.executeCommand('setContext', 'roboSmith.noGit', top === null);
  await vscode.commands.executeCommand('setContext', 'roboSmith.isGit', top !== null);
  await vscode.commands.executeCommand('setContext', 'roboSmith.isSetUp', root !== null);
  if (folder === undefined || top === null) return { kind: 'no git', hasFolder: folder !== undefined };
  return root === null ? { kind: 'not set up', folder, top } : { kind: 'project', root };
}

/**
 * Asks whether RoboSmith may write its files, and where, and then writes them. Writes nothing if the person declines.
 */
export async function offerSetUp(
  { folder, top }: Extract<ProjectPlace, { kind: 'not set up' }>,
  files: ProgramFiles,
): Promise<void> {
  const ways = [
    { title: vscode.l10n.t('Set Up {0}', path.basename(top)), root: top },
    ...(path.relative(top, folder) === ''
      ? []
      : [{ title: vscode.l10n.t('Set Up {0} Only', path.relative(top, folder)), root: folder }]),
  ];
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('RoboSmith is not set up in this repository.'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Setting up writes a starter workflow to .vision/, the folder .flow/ for its state, and rules for it to .gitignore. Existing files are kept.',
      ),
    },
    ...ways,
  );
  if (answer !== undefined) await setUpProject(answer.root, files);
}

/** Shows in the status bar, and in the view of the work plan, that the project can be set up. */
export function showOffer(): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('roboSmith.setUp', vscode.StatusBarAlignment.Left, 100);
  item.name = 'RoboSmith';
  item.text = `$(server-process) RoboSmith: ${vscode.l10n.t('Set Up This Project')}`;
  item.command = 'roboSmith.setUp';
  item.show();
  // Without items, the view shows its welcome text.
  const empty: vscode.TreeDataProvider<vscode.TreeItem> = { getChildren: () => [], getTreeItem: (one) => one };
  return vscode.Disposable.from(item, vscode.window.registerTreeDataProvider(PLAN_VIEW, empty));
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Shows in a view of the panel that RoboSmith has no project here, with a link that sets it up. */
export function showWelcome(webview: vscode.Webview, place: ProjectPlace, noGit: string): void {
  const isGit = place.kind !== 'no git';
  webview.options = { enableScripts: false, enableCommandUris: isGit ? ['roboSmith.setUp'] : false };
  const text = isGit ? vscode.l10n.t('RoboSmith is not set up in this repository.') : noGit;
  const link = isGit
    ? `<p><a href="command:roboSmith.setUp">${escaped(vscode.l10n.t('Set Up This Project'))}</a></p>`
    : '';
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  webview.html = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>RoboSmith</title><main><p>${escaped(text)}</p>${link}</main>`;
}
