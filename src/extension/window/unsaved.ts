import * as vscode from 'vscode';
import { RoboSmithError } from '#protocol/error.ts';

const isIn = (folder: vscode.Uri, { uri }: vscode.TextDocument): boolean =>
  uri.scheme === folder.scheme && uri.path.startsWith(`${folder.path}/`);

/** Returns the documents with unsaved changes below a folder; with paths, only those of these files. */
export function unsavedIn(folder: string, paths: ReadonlySet<string> | null = null): readonly vscode.TextDocument[] {
  const root = vscode.Uri.file(folder);
  return vscode.workspace.textDocuments.filter(
    (one) => one.isDirty && isIn(root, one) && (paths?.has(one.uri.path.slice(root.path.length + 1)) ?? true),
  );
}

/**
 * Asks what to do with unsaved changes before an action that uses files on disk. Saves them if the person wants it.
 * Rejects if the person cancels.
 */
export async function askUnsaved(documents: readonly vscode.TextDocument[], question: string): Promise<void> {
  if (documents.length === 0) return;
  const save = vscode.l10n.t('Save and Continue');
  const ignore = vscode.l10n.t('Continue Without Saving');
  const names = documents.map(({ uri }) => vscode.workspace.asRelativePath(uri));
  const answer = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: names.join('\n') },
    save,
    ignore,
  );
  if (answer === undefined) throw new RoboSmithError('refused', vscode.l10n.t('Nothing was done.'));
  if (answer === ignore) return;
  const saved = await Promise.all(documents.map((one) => one.save()));
  if (saved.includes(false))
    throw new RoboSmithError('refused', vscode.l10n.t('A file could not be saved; nothing was done.'));
}
