import * as vscode from 'vscode';
import { messageOf } from '#protocol/message-of.ts';

const isJson = ({ languageId, uri }: vscode.TextDocument): boolean =>
  uri.scheme === 'file' && (languageId === 'json' || languageId === 'jsonc');

/** Loads the language support for manifests when the first JSON document is opened, to keep the activation fast. */
export function awaitManifest(context: vscode.ExtensionContext, log: (message: string) => void): void {
  let isStarted = false;
  const start = (document: vscode.TextDocument): void => {
    if (isStarted || !isJson(document)) return;
    isStarted = true;
    opening.dispose();
    import('./manifest/start-language.ts')
      .then(({ startLanguage }) => startLanguage(context.extensionUri, log))
      .then(
        (language) => void context.subscriptions.push(language),
        (thrown: unknown) => log(`manifest language: ${messageOf(thrown)}`),
      );
  };
  const opening = vscode.workspace.onDidOpenTextDocument(start);
  context.subscriptions.push(opening);
  setImmediate(() => vscode.workspace.textDocuments.forEach(start));
}
