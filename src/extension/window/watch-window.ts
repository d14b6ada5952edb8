import * as vscode from 'vscode';
import type { Views } from './views.ts';
import type { WindowState } from './window-state.ts';

const ACTIVE: ReadonlySet<string> = new Set(['creating', 'running']);

/** Opens Mission Control when a workflow starts, and updates the badge. */
export function watchWindow(state: WindowState, views: Views): vscode.Disposable {
  /**
   * Initially empty, so that workflows which already run also open Mission Control: VS Code may have closed the panel
   * with the last window.
   */
  let active: ReadonlySet<string> = new Set();

  const openActive = (): void => {
    const now = new Set(state.sessions().flatMap((tab) => (ACTIVE.has(tab.state) ? [tab.key] : [])));
    const fresh = [...now].filter((key) => !active.has(key));
    active = now;
    const opens = vscode.workspace.getConfiguration('roboSmith').get('openMissionControl', true);
    const [first] = fresh;
    if (first !== undefined && opens && !views.isOpen()) views.reveal(first);
  };
  return state.onChange(() => {
    if (!state.isKnown()) return;
    views.setBadge(state.inbox().length);
    openActive();
  });
}
