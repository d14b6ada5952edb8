import * as vscode from 'vscode';
import { shows } from './shown-texts.ts';

/**
 * Proposed files that wait for the user's answer. The buttons for it are in the title of the comparison, which stays
 * until it is answered or closed, unlike a notification.
 */
export interface Proposals {
  dispose(): void;
  /** Waits until the user applies the proposed file (true), or discards it or closes its comparison (false). */
  ask(proposed: vscode.Uri): Promise<boolean>;
  /** Answers for a proposed file; without one, for that of the active editor. Returns false if none waits there. */
  answer(isTaken: boolean, given: unknown): boolean;
}

function activeProposal(): vscode.Uri | null {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff ? input.modified : null;
}

/** Creates the list of waiting proposals. */
export function createProposals(): Proposals {
  const waiting = new Map<string, { readonly uri: vscode.Uri; readonly resolve: (isTaken: boolean) => void }>();
  const settle = (uri: vscode.Uri, isTaken: boolean): boolean => {
    const found = waiting.get(uri.toString());
    waiting.delete(uri.toString());
    found?.resolve(isTaken);
    return found !== undefined;
  };
  const closing = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    for (const { uri } of [...waiting.values()]) if (closed.some((tab) => shows(tab, uri))) settle(uri, false);
  });
  return {
    ask: (uri) => new Promise((resolve) => waiting.set(uri.toString(), { uri, resolve })),
    answer: (isTaken, given) => {
      const uri = given instanceof vscode.Uri && waiting.has(given.toString()) ? given : activeProposal();
      return uri !== null && settle(uri, isTaken);
    },
    dispose: () => {
      closing.dispose();
      for (const { uri } of [...waiting.values()]) settle(uri, false);
    },
  };
}
