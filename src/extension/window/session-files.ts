import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { sessionNamed } from './workspace.ts';
import type { VisitChanges } from '#protocol/host.ts';
import type { RunId, SessionId } from '#protocol/id.ts';

const SCHEME = 'robosmith';

/**
 * A file of a session in a commit or tree, which never changes: VS Code keeps the text of a document that is open. An
 * empty name of a tree is a file that does not exist.
 */
interface SessionFileQuery {
  readonly session: string;
  readonly path: string;
  readonly tree: string;
}

const uriOf = (asked: SessionFileQuery): vscode.Uri =>
  vscode.Uri.from({ scheme: SCHEME, path: `/${asked.path}`, query: JSON.stringify(asked) });

/**
 * Registers a content provider for the files of sessions as they were before and after the session or one of its blocks.
 */
export function provideSessionFiles(link: HostLink): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ query }) => {
      const { session, path: file, tree } = JSON.parse(query) as SessionFileQuery;
      if (tree === '') return '';
      const client = await link.reach();
      return (await client.call('session.fileIn', { session: session as SessionId, path: file, tree })).text ?? '';
    },
  });
}

/** Returns the URI of a session's file: in the session's worktree, or as committed if the worktree no longer exists. */
export async function fileOfSession(link: HostLink, session: string, file: string): Promise<vscode.Uri> {
  const client = await link.reach();
  const { worktree, to } = await client.call('session.file', { session: session as SessionId, path: file });
  return worktree === null ? uriOf({ session, path: file, tree: to ?? '' }) : vscode.Uri.file(inside(worktree, file));
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
  const client = await link.reach();
  const of = { session: session as SessionId, path: file };
  const { from, to, worktree, symbolLine = null } = await client.call('session.file', of);
  const now = worktree === null ? null : vscode.Uri.file(inside(worktree, file));
  const isThere = now !== null && (await isFile(now));
  const left = uriOf({ session, path: file, tree: from ?? '' });
  const right = isThere ? now : uriOf({ session, path: file, tree: to ?? '' });
  const { baseBranch, title } = await sessionNamed(link, session);
  const name = `${path.basename(file)} (${baseBranch} ${(from ?? '').slice(0, 7)} ↔ ${title})`;
  await vscode.commands.executeCommand('vscode.diff', left, right, name, openAt(symbolLine));
}

const isFile = (uri: vscode.Uri): Promise<boolean> =>
  Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

type File = VisitChanges['files'][number];

/** The two sides of a file that a visit changed; undefined where the file does not exist. */
interface Sides {
  readonly left: vscode.Uri | undefined;
  readonly right: vscode.Uri | undefined;
}

/** Returns the sides of a file. The newer one is the file of the worktree, which can be edited, if no later step changed files. */
function sidesOf(
  session: string,
  { before, after, isNow, worktree }: VisitChanges,
  { path: file, from, change }: File,
): Sides {
  const now = isNow && worktree !== null ? vscode.Uri.file(inside(worktree, file)) : null;
  return {
    left: change === 'added' ? undefined : uriOf({ session, path: from ?? file, tree: before }),
    right: change === 'deleted' ? undefined : (now ?? uriOf({ session, path: file, tree: after })),
  };
}

/** A visit of a block in a session's run. */
export interface SessionVisit {
  readonly session: string;
  readonly run: string;
  readonly block: string;
  readonly visit: number;
}

/**
 * Shows what a visit changed: one file in VS Code's diff editor, beginning at the first changed symbol, or all files in
 * its editor for several diffs, those with changed symbols first.
 */
export async function showChanges(link: HostLink, of: SessionVisit, file: string | null): Promise<void> {
  const { session, run, block, visit } = of;
  const client = await link.reach();
  const { changes } = await client.call('session.changes', {
    session: session as SessionId,
    run: run as RunId,
    block,
    visit,
  });
  const isWanted = ({ path: one }: File): boolean => file === null || one === file;
  const files = changes?.files.filter(isWanted) ?? [];
  // A binary file has no text to compare.
  const texts = files.filter(({ added }) => added !== null);
  const { title } = await sessionNamed(link, session);
  const name = vscode.l10n.t('{0}, visit {1} ({2})', block, visit, title);
  const [first] = texts;
  if (changes === null || first === undefined) {
    const none =
      files.length === 0
        ? vscode.l10n.t('{0} changed no file that is still known.', name)
        : vscode.l10n.t('{0} changed only binary files: {1}', name, files.map((one) => one.path).join(', '));
    return void vscode.window.showInformationMessage(none);
  }
  if (file === null) {
    const resources = texts.map((one) => {
      const { left, right } = sidesOf(session, changes, one);
      return [right ?? left, left, right];
    });
    await vscode.commands.executeCommand('vscode.changes', name, resources);
    return;
  }
  const { left, right } = sidesOf(session, changes, first);
  const nothing = uriOf({ session, path: file, tree: '' });
  const shown = `${path.basename(file)} (${name})`;
  await vscode.commands.executeCommand(
    'vscode.diff',
    left ?? nothing,
    right ?? nothing,
    shown,
    openAt(first.symbolLine),
  );
}
