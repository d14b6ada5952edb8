import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { bytesText } from '#protocol/amount-text.ts';
import type { CleaningResult, Leftover } from '#protocol/host.ts';
import type { WindowState } from './window-state.ts';

export interface CleanUpParts {
  readonly link: HostLink;
  readonly state: Pick<WindowState, 'sessions'>;
}

interface Item extends vscode.QuickPickItem {
  /** Null for an entry that can't be removed. */
  readonly goes: Leftover | null;
}

/** Returns a size as `12 MB`, or `> 12 MB` if not everything was counted. */
const sizeText = (size: Leftover['size']): string =>
  size === null ? '' : `${size.isWhole ? '' : '> '}${bytesText(size.bytes)}`;

const whatOf = (what: CleaningResult['what']): string =>
  ({
    worktree: vscode.l10n.t('worktree'),
    registration: vscode.l10n.t('worktree that git still lists'),
    session: vscode.l10n.t('session'),
    recovery: vscode.l10n.t('kept work'),
    runs: vscode.l10n.t('history'),
  })[what];

/** Returns the short name of a leftover: of a session its title, of a folder its last part. */
function nameOf({ what, name }: CleaningResult, { state }: CleanUpParts): string {
  if (what === 'session') return state.sessions().find(({ session }) => session === name)?.title ?? name;
  if (what === 'runs') return vscode.l10n.t('Old runs');
  return what === 'recovery' ? name : path.basename(name);
}

const itemOf =
  (parts: CleanUpParts, isRemovable: boolean) =>
  (leftover: Leftover): Item => ({
    label: `${isRemovable ? '' : '$(lock) '}${nameOf(leftover, parts)}`,
    description: [whatOf(leftover.what), sizeText(leftover.size)].filter((text) => text !== '').join(', '),
    detail: leftover.message,
    goes: isRemovable ? leftover : null,
  });

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator, goes: null });

/** Lets the user pick leftovers. Entries that stay are shown with the reason; they can't be picked. Null if cancelled. */
function pickLeftovers(items: readonly Item[]): Promise<readonly Leftover[] | null> {
  const { promise, resolve } = Promise.withResolvers<readonly Leftover[] | null>();
  const list = vscode.window.createQuickPick<Item>();
  list.title = vscode.l10n.t('Clean up: the checked items are removed');
  list.placeholder = vscode.l10n.t('Leftovers that hold work cannot be checked.');
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.ignoreFocusOut = true;
  list.items = items;
  // The history of runs is no leftover of a failure: who wants it gone ticks it.
  list.selectedItems = items.filter(({ goes }) => goes !== null && goes.what !== 'runs');
  list.onDidChangeSelection((selected) => {
    const allowed = selected.filter(({ goes }) => goes !== null);
    if (allowed.length < selected.length) list.selectedItems = allowed;
  });
  list.onDidAccept(() => {
    resolve(list.selectedItems.flatMap(({ goes }) => (goes === null ? [] : [goes])));
    list.hide();
  });
  list.onDidHide(() => {
    resolve(null);
    list.dispose();
  });
  list.show();
  return promise;
}

const isSame = (one: CleaningResult) => (other: CleaningResult) => one.what === other.what && one.name === other.name;

/** Reports what was removed, and for each other leftover why it stays. */
function report(
  parts: CleanUpParts,
  wanted: readonly Leftover[],
  gone: readonly CleaningResult[],
  stays: readonly CleaningResult[],
): void {
  const missed = wanted.filter((item) => !gone.some(isSame(item)));
  const done = vscode.l10n.t('{0} of {1} removed.', wanted.length - missed.length, wanted.length);
  if (missed.length === 0) return void vscode.window.showInformationMessage(done);
  const why = missed.map((item) => {
    const reason = stays.find(isSame(item))?.message ?? vscode.l10n.t('it is no longer a leftover');
    return vscode.l10n.t('{0} stays: {1}', nameOf(item, parts), reason);
  });
  void vscode.window.showWarningMessage([done, ...why].join(' '));
}

/** Lists the leftovers of sessions with sizes and reasons, and removes those that the user leaves ticked. */
export async function cleanUp(parts: CleanUpParts): Promise<void> {
  const client = await parts.link.reach();
  const { goes, stays } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for leftovers…') },
    () => client.call('leftovers.list', {}),
  );
  if (goes.length + stays.length === 0)
    return void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to clean up.'));
  const picked = await pickLeftovers([
    ...(goes.length === 0 ? [] : [separator(vscode.l10n.t('Can be removed')), ...goes.map(itemOf(parts, true))]),
    ...(stays.length === 0 ? [] : [separator(vscode.l10n.t('Stays')), ...stays.map(itemOf(parts, false))]),
  ]);
  if (picked === null || picked.length === 0) return;
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Removing leftovers…') },
    () => client.call('leftovers.remove', { items: picked.map(({ what, name }) => ({ what, name })) }),
  );
  report(parts, picked, done.gone, done.stays);
}
