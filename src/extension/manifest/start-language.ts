import * as vscode from 'vscode';
import type { Schema } from '#language/index.ts';
import { createOpenManifests } from './open-manifests.ts';
import { provideLanguage } from './provide-language.ts';

/** Reads the manifest's schema and begins to serve manifests; this module is loaded with the first one that is opened. */
export async function startLanguage(
  extensionUri: vscode.Uri,
  log: (message: string) => void,
): Promise<vscode.Disposable> {
  const file = vscode.Uri.joinPath(extensionUri, 'schemas', 'workflow.schema.json');
  const schema = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file))) as Schema;
  return provideLanguage({ extensionUri, manifests: createOpenManifests(), schema }, log);
}
