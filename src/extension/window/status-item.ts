import * as vscode from 'vscode';
import type { SessionTab } from '#protocol/generated/view.gen.ts';
import type { Workspace } from './workspace.ts';
import type { WindowState } from './window-state.ts';

const HEALTH = { green: '🟢', amber: '🟡', red: '🔴' } as const;

const QUEUE = { draft: '📝', running: '▶️', queued: '⌛', held: '⏸️', complete: '✅', halted: '❗' } as const;

/** Returns a session's status icons, title and tags as one line, such as `🟢 ▶️ Implement login [Clash] FIFO #2`. */
export function sessionLine({ health, queue, title, overlap, order }: SessionTab): string {
  const tag = overlap === 'Clash' || overlap === 'Clash (semantic)' ? ` [${overlap}]` : '';
  return `${HEALTH[health.colour]} ${QUEUE[queue]} ${title}${tag}${order === null ? '' : ` ${order}`}`;
}

const escaped = (text: string): string => text.replaceAll('$(', '$ (');

/** Returns the name of the window's context: the title of the session whose worktree is open, or the project's name. */
const contextName = (workspace: Workspace, sessions: readonly SessionTab[]): string =>
  sessions.find(({ session }) => session !== null && session === workspace.session())?.title ?? workspace.name;

/** Creates the status bar item. It shows the window's context and how many items wait for the user. */
export function createStatusItem(workspace: Workspace, state: WindowState): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('roboSmith.context', vscode.StatusBarAlignment.Left, 100);
  item.name = 'RoboSmith';
  item.command = 'roboSmith.navigate';
  const show = (): void => {
    const waiting = state.inbox().length;
    const bell = waiting === 0 ? '' : ` $(bell-dot) ${waiting}`;
    item.text = `$(server-process) RoboSmith: ${escaped(contextName(workspace, state.sessions()))}${bell}`;
    const lost = state.engine().kind === 'lost';
    item.backgroundColor = lost
      ? new vscode.ThemeColor('statusBarItem.errorBackground')
      : waiting > 0
        ? new vscode.ThemeColor('statusBarItem.warningBackground')
        : undefined;
    const waits =
      waiting === 1 ? vscode.l10n.t('One item waits for you.') : vscode.l10n.t('{0} items wait for you.', waiting);
    item.tooltip = lost
      ? vscode.l10n.t('The engine host is not connected; trying again.')
      : waiting === 0
        ? vscode.l10n.t('Nothing waits for you.')
        : waits;
    item.accessibilityInformation = {
      label: `RoboSmith: ${contextName(workspace, state.sessions())}. ${item.tooltip}`,
    };
  };
  show();
  item.show();
  return vscode.Disposable.from(item, state.onChange(show));
}
