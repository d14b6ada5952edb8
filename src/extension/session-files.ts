import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { sessionNamed } from './workspace.ts';
import type { SessionId } from '#protocol/id.ts';

const SCHEME = 'robosmith';

type Side = 'before' | 'committed';

interface SessionFileQuery {
  readonly session: string;
  readonly path: string;
  readonly side: Side;
}

const uriOf = (asked: SessionFileQuery): vscode.Uri =>
  vscode.Uri.from({ scheme: SCHEME, path: `/${asked.path}`, query: JSON.stringify(asked) });

/**
 * Registers a content provider for the files of sessions: as they were before the session, and as its branch has them.
 */
export function provideSessionFiles(link: HostLink): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ query }) => {
      const { session, path: file, side } = JSON.parse(query) as SessionFileQuery;
      const client = await link.reach();
      const found = await client.call('session.file', { session: session as SessionId, path: file });
      return found[side] ?? '';
    },
  });
}

/** Returns the URI of a session's file: in the session's worktree, or as committed if the worktree no longer exists. */
export async function fileOfSession(link: HostLink, session: string, file: string): Promise<vscode.Uri> {
  const client = await link.reach();
  const { worktree } = await client.call('session.file', { session: session as SessionId, path: file });
  return worktree === null
    ? uriOf({ session, path: file, side: 'committed' })
    : vscode.Uri.file(inside(worktree, file));
}

/** Resolves a relative path within a folder. Throws `RangeError` if the path leads outside. */
export function inside(folder: string, file: string): string {
  const place = path.resolve(folder, file);
  const relative = path.relative(folder, place);
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative))
    throw new RangeError(`${file} is outside of ${folder}.`);
  return place;
}

/** Returns the options of a diff editor that opens at a line; without a line, VS Code shows the first difference. */
const openAt = (line: number | null): vscode.TextDocumentShowOptions =>
  line === null ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) };

/** Shows the changes that a session made to a file, in VS Code's diff editor, beginning at the first changed symbol. */
export async function showDifference(link: HostLink, session: string, file: string): Promise<void> {
  const left = uriOf({ session, path: file, side: 'before' });
  let right = await fileOfSession(link, session, file);
  const isThere = await vscode.workspace.fs.stat(right).then(
    () => true,
    () => false,
  );
  if (right.scheme !== SCHEME && !isThere) right = uriOf({ session, path: file, side: 'committed' });
  const { baseBranch, title } = await sessionNamed(link, session);
  const name = `${path.basename(file)} (${baseBranch} ↔ ${title})`;
  const { symbolLine = null } = await (
    await link.reach()
  ).call('session.file', { session: session as SessionId, path: file });
  await vscode.commands.executeCommand('vscode.diff', left, right, name, openAt(symbolLine));
}
