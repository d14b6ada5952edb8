import * as vscode from 'vscode';
import { RoboSmithError } from '#protocol/error.ts';
import type { ViewGraph } from '#protocol/generated/view.gen.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { type GivenStart, newWorkflow } from './new-workflow.ts';
import type { NavigatorParts } from './navigator-parts.ts';
import { sessionLine } from './status-item.ts';
import { askUnsaved, unsavedIn } from './unsaved.ts';
import type { Views } from './views.ts';

interface Item extends vscode.QuickPickItem {
  readonly go?: () => Promise<void>;
}

/** The longest time in milliseconds to wait until the host has read a manifest that was just saved. */
const READ_MS = 5_000;

/** Offers to save the manifest and what it imports, because a run uses the saved files. Rejects if the person cancels. */
async function saveManifest(root: string, node: string | undefined, state: NavigatorParts['state']): Promise<void> {
  if (unsavedIn(root).length === 0) return;
  const { createManifestFiles } = await import('../manifest/manifest-files.ts');
  const sources = await createManifestFiles(vscode.Uri.file(root)).sources();
  const unsaved = unsavedIn(root, new Set(sources?.map(({ path }) => path) ?? []));
  await askUnsaved(unsaved, vscode.l10n.t('The workflow has unsaved changes. A run uses the saved files.'));
  const isRead = (): boolean =>
    node === undefined || unsaved.some(({ isDirty }) => isDirty) || hasNode(state.graph(), node);
  if (unsaved.length > 0) await untilChanged(state, isRead);
}

const hasNode = (graph: ViewGraph | null, node: string): boolean => graph?.nodes.some(({ id }) => id === node) === true;

/** Waits until a condition on the project's state is true, or for `READ_MS`. */
function untilChanged(state: NavigatorParts['state'], isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(end, READ_MS);
    const listening = state.onChange(() => (isSo() ? end() : undefined));
    if (isSo()) end();
  });
}

/**
 * Starts a workflow in a new session and shows it. The user is asked for what `given` does not contain. Returns the
 * session; null if the user cancels.
 */
export async function startWorkflow(
  { workspace, state, link, views }: NavigatorParts,
  given: GivenStart = {},
): Promise<Session | null> {
  await state.known();
  await saveManifest(workspace.root, given.node, state);
  const graph = state.graph();
  if (graph === null) {
    const create = vscode.l10n.t('Create a Sample');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t('No workflow in this project yet. .vision/workflows.json describes one.'),
      create,
    );
    if (answer === create) await vscode.commands.executeCommand('roboSmith.setUp');
    return null;
  }
  const session = await newWorkflow({ root: workspace.root, source: state.source(), graph }, link, given);
  if (session !== null) views.reveal(session.id);
  return session;
}

async function resumeHeld({ state, link, views }: NavigatorParts): Promise<void> {
  const held = state.sessions().filter((tab) => tab.state === 'held');
  const items = held.map((tab) => ({ label: sessionLine(tab), description: tab.branch ?? '', tab }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which session do you want to resume?'),
  });
  if (picked === undefined || picked.tab.session === null) return;
  await (await link.reach()).call('session.resume', { session: picked.tab.session as SessionId });
  views.reveal(picked.tab.key);
}

/** Returns the sessions that can be restored; none if the host can't be reached. */
async function discardedIn({ link }: NavigatorParts): Promise<readonly Session[]> {
  const client = await link.reach().catch(() => null);
  const { sessions } = client === null ? { sessions: [] } : await client.call('session.list', {});
  return sessions.filter(({ state }) => state === 'discarded');
}

async function restoreDiscarded({ link, views }: NavigatorParts, discarded: readonly Session[]): Promise<void> {
  const client = await link.reach();
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

function itemsOf(parts: NavigatorParts, discarded: readonly Session[]): readonly Item[] {
  const held = parts.state.sessions().some((tab) => tab.state === 'held');
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
    // Above the sessions, since many of them would move it off the screen.
    { label: `$(add) ${vscode.l10n.t('New workflow…')}`, go: () => startWorkflow(parts).then(() => undefined) },
    ...(sessions.length === 0 ? [] : [separator(vscode.l10n.t('Sessions')), ...sessions]),
    separator(vscode.l10n.t('Actions')),
    ...(held ? [{ label: `$(debug-continue) ${vscode.l10n.t('Resume held…')}`, go: () => resumeHeld(parts) }] : []),
    ...(discarded.length === 0
      ? []
      : [
          {
            label: `$(discard) ${vscode.l10n.t('Restore discarded…')}`,
            go: () => restoreDiscarded(parts, discarded),
          },
        ]),
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
  const items = parts.state.known().then(async () => itemsOf(parts, await discardedIn(parts)));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Switch to a session, or choose an action'),
    matchOnDescription: true,
  });
  await picked?.go?.();
}
