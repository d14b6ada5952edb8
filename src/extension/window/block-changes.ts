import * as vscode from 'vscode';
import type { SessionId } from '#protocol/id.ts';
import type { NavigatorParts } from './navigator-parts.ts';
import { showChanges } from './session-files.ts';

/** A session to choose. */
interface Choice {
  readonly session: string;
  readonly title: string;
}

/** Returns the session of this window, or of the tab that Mission Control shows, or the one that the user picks. */
async function chooseSession({ workspace, state, views }: NavigatorParts): Promise<Choice | null> {
  await state.known();
  const sessions = state
    .sessions()
    .flatMap(({ key, session, title, branch }) => (session === null ? [] : [{ key, session, title, branch }]));
  const here = workspace.session();
  const shown = views.isOpen() ? views.shown() : null;
  const found =
    sessions.find(({ session }) => session === here) ??
    sessions.find(({ key }) => key === shown) ??
    (sessions.length === 1 ? sessions[0] : undefined);
  if (found !== undefined) return found;
  if (sessions.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no session.'));
    return null;
  }
  const items = sessions.map((one) => ({ label: one.title, description: one.branch ?? '', one }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Changes of which session?') });
  return picked?.one ?? null;
}

/** Lets the user pick a visit of a block that changed files, and shows its changes. */
export async function pickBlockChanges(parts: NavigatorParts): Promise<void> {
  const chosen = await chooseSession(parts);
  if (chosen === null) return;
  const { session, title } = chosen;
  const { visits } = await (await parts.link.reach()).call('session.visits', { session: session as SessionId });
  if (visits.length === 0)
    return void vscode.window.showInformationMessage(vscode.l10n.t('No block of {0} has changed a file.', title));
  const items = visits.map((visit) => ({
    label: visit.block,
    description: vscode.l10n.t('visit {0}', visit.visit),
    detail: new Date(visit.at).toLocaleString(),
    visit,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Changes of {0}', title),
    placeHolder: vscode.l10n.t('The changes of which block?'),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  const { run, block, visit } = picked.visit;
  await showChanges(parts.link, { session, run, block, visit }, null);
}
