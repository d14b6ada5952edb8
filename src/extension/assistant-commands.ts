import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { Commands } from './window/commands.ts';
import type { ProjectNames } from './calls/pick-call.ts';
import type { StoredSecrets } from './keys/stored-secrets.ts';
import { createProposals } from './quick-fix/proposals.ts';
import { createShownTexts } from './quick-fix/shown-texts.ts';
import { createCallFiles } from './calls/call-files.ts';

/** Registers the code action "Ask RoboSmith to fix this" for every diagnostic, whatever extension reports it. */
const offerQuickFix = (): vscode.Disposable =>
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

interface AssistantParts {
  readonly root: string;
  readonly link: HostLink;
  readonly secrets: StoredSecrets;
  readonly names: ProjectNames;
}

/**
 * Returns the commands for quick fixes, logged model calls and API keys. Their implementation is loaded on first use.
 */
export function assistantCommands({ root, link, secrets, names }: AssistantParts) {
  const texts = createShownTexts();
  const files = createCallFiles();
  const proposals = createProposals();
  const answerProposal = (isTaken: boolean, given: unknown): Promise<void> => {
    if (!proposals.answer(isTaken, given))
      void vscode.window.showInformationMessage(vscode.l10n.t('No proposed change is open here.'));
    return Promise.resolve();
  };
  const calls = { link, names, texts, files };
  const inspector = () => import('./calls/inspect-calls.ts');
  return {
    serving: vscode.Disposable.from(texts, proposals, files, offerQuickFix()),
    commands: {
      'roboSmith.quickFix': async (...given) =>
        (await import('./quick-fix/quick-fix.ts')).quickFix({ root, link, texts, proposals }, given),
      'roboSmith.applyFix': (given) => answerProposal(true, given),
      'roboSmith.discardFix': (given) => answerProposal(false, given),
      'roboSmith.calls': async () => (await inspector()).inspectCall(calls),
      'roboSmith.rerunCall': async () => (await inspector()).rerunCall(calls),
      'roboSmith.compareCalls': async () => (await inspector()).compareCalls(calls),
      'roboSmith.useWording': async () => (await inspector()).useWording(calls, root),
      'roboSmith.keys': async () => (await import('./keys/manage-keys.ts')).manageKeys(link, secrets),
      'roboSmith.addKey': async () => {
        await (await import('./keys/add-key.ts')).addKey(link, secrets);
      },
    } satisfies Commands,
  };
}
