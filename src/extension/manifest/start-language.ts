import * as vscode from 'vscode';
import type { Schema } from '#language/index.ts';
import { createOpenManifests } from './open-manifests.ts';
import { provideLanguage } from './provide-language.ts';

/** Starts the language features for manifests. This module is loaded when the first JSON document is opened. */
export async function startLanguage(
  extensionUri: vscode.Uri,
  log: (message: string) => void,
): Promise<vscode.Disposable> {
  const file = vscode.Uri.joinPath(extensionUri, 'schemas', 'workflow.schema.json');
  const schema = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file))) as Schema;
  return provideLanguage({ extensionUri, manifests: createOpenManifests(), schema }, log);
}
