import * as vscode from 'vscode';
import type { Views } from '../window/views.ts';
import type { WindowState } from '../window/window-state.ts';
import type { NoticeClaims } from './claim-notice.ts';
import { isShown, newNotices, type EventNotice, type NoticeSource, type NoticeMode } from './new-notices.ts';

/** How long other windows wait, so that the one with the focus is the first to claim a notice. */
const UNFOCUSED_MS = 1_000;

const when = (): NoticeMode => vscode.workspace.getConfiguration('roboSmith').get('notifications', 'away');

function textOf({ kind, title, text }: EventNotice): string {
  switch (kind) {
    case 'halt':
      return `${title}: ${text}`;
    case 'ready':
      return vscode.l10n.t('{0} is complete.', title);
    case 'merged':
      return vscode.l10n.t('{0} is complete and merged.', title);
    case 'failed':
      return vscode.l10n.t('{0} has failed. {1}', title, text);
  }
}

const isProblem = ({ kind }: EventNotice): boolean => kind === 'halt' || kind === 'failed';

async function show(notice: EventNotice, views: Views): Promise<void> {
  const label = vscode.l10n.t('Show');
  const answer = await (isProblem(notice)
    ? vscode.window.showWarningMessage(textOf(notice), label)
    : vscode.window.showInformationMessage(textOf(notice), label));
  if (answer === undefined) return;
  views.reveal(notice.tab);
  if (notice.halt !== null) views.goTo({ block: notice.block, halt: notice.halt });
}

const focusedFirst = (): Promise<void> =>
  vscode.window.state.focused ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, UNFOCUSED_MS));

/**
 * Notifies the user when a block halts or a run ends, in one window of the project, unless the user is looking at
 * Mission Control.
 */
export function showNotices(state: WindowState, views: Views, claims: NoticeClaims): vscode.Disposable {
  let before: NoticeSource | null = null;
  const showIfClaimed = async (notice: EventNotice): Promise<void> => {
    await focusedFirst();
    const isWatched = vscode.window.state.focused && views.isVisible();
    // A window in which the user sees the event in Mission Control claims it too, so that no other window shows a
    // notice for it.
    if ((await claims.claim(notice.key)) && isShown(when(), isWatched)) await show(notice, views);
  };
  return state.onChange(() => {
    if (!state.isKnown()) return;
    const now: NoticeSource = { sessions: state.sessions(), inbox: state.inbox() };
    const fresh = newNotices(before, now);
    before = now;
    for (const notice of fresh) void showIfClaimed(notice);
  });
}
