import * as vscode from 'vscode';
import type { Views } from './views.ts';
import type { WindowState } from './window-state.ts';

const ACTIVE: ReadonlySet<string> = new Set(['creating', 'running']);

/** Opens Mission Control when a workflow starts, updates the badge, and notifies the user of halts. */
export function watchWindow(state: WindowState, views: Views): vscode.Disposable {
  /**
   * Initially empty, so that workflows which already run also open Mission Control: VS Code may have closed the panel
   * with the last window.
   */
  let active: ReadonlySet<string> = new Set();
  let told: ReadonlySet<string> | null = null;

  const openActive = (): void => {
    const now = new Set(state.sessions().flatMap((tab) => (ACTIVE.has(tab.state) ? [tab.key] : [])));
    const fresh = [...now].filter((key) => !active.has(key));
    active = now;
    const opens = vscode.workspace.getConfiguration('roboSmith').get('openMissionControl', true);
    const [first] = fresh;
    if (first !== undefined && opens && !views.isOpen()) views.reveal(first);
  };
  const tellHalts = (): void => {
    const halts = state.inbox().filter(({ kind }) => kind === 'halt');
    const fresh = told === null ? [] : halts.filter(({ key }) => told?.has(key) !== true);
    told = new Set(halts.map(({ key }) => key));
    for (const { title, text, session, run, block, halt } of fresh) {
      void vscode.window.showWarningMessage(`${title}: ${text}`, vscode.l10n.t('Show')).then((answer) => {
        if (answer === undefined) return;
        views.reveal(session ?? run);
        views.goTo({ block, halt });
      });
    }
  };
  return state.onChange(() => {
    if (!state.isKnown()) return;
    views.setBadge(state.inbox().length);
    openActive();
    tellHalts();
  });
}
