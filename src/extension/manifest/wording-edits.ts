import * as vscode from 'vscode';
import { createProjects, editWording } from '#language/index.ts';
import { createManifestFiles } from '../manifest/manifest-files.ts';
import { toWorkspaceEdit } from '../manifest/to-vscode.ts';

/**
 * Returns the workspace edit that changes a block's contract or its worker's persona in the manifest; null if the block
 * does not exist.
 */
export async function wordingEdits(
  root: vscode.Uri,
  block: string,
  wordings: ReadonlyMap<string, string>,
): Promise<{ readonly changes: vscode.WorkspaceEdit; readonly file: vscode.Uri } | null> {
  const sources = await createManifestFiles(root).sources();
  if (sources === null) return null;
  const edits = editWording(createProjects()(sources, {}), block, wordings);
  const [first] = edits ?? [];
  return edits === null || first === undefined
    ? null
    : { changes: toWorkspaceEdit(root, edits), file: vscode.Uri.joinPath(root, first.file) };
}
