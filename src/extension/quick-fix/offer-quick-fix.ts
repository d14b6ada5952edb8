import * as vscode from 'vscode';

/** Registers the code action "Ask RoboSmith to fix this" for every diagnostic, whatever extension reports it. */
export const offerQuickFix = (): vscode.Disposable =>
  vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions: (document, range, { diagnostics }) => {
        if (diagnostics.length === 0) return [];
        const title = vscode.l10n.t('Ask RoboSmith to fix this');
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.diagnostics = [...diagnostics];
        action.command = { title, command: 'roboSmith.quickFix', arguments: [document.uri, range] };
        return [action];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
