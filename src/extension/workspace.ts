import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/*
 * The one folder that the window works in: the project, or the worktree of a session. VS Code restarts the extensions when
 * the first folder changes: what was chosen stands in the window's global state until it has come about.
 *
 * 1. A window with one folder is opened anew with the other one. To replace its folder would make it an untitled workspace,
 *    which VS Code has been seen to open without any folder.
 * 2. In a workspace file the first folder is replaced. VS Code has been seen to come back with the old one: then the window is
 *    opened with the folder alone.
 */

const POINTER = 'roboSmith.context';
/** A swap that has not come about by then was given up. */
const FRESH_MS = 60_000;

interface Pointer {
  readonly root: string;
  readonly folder: string;
  readonly session: string | null;
  readonly at: number;
  readonly tries: number;
  /** Mission Control was open. */
  readonly panel: boolean;
}

export interface Workspace {
  /** The project's root. */
  readonly root: string;
  readonly name: string;
  /** The session whose worktree is open in the window; null for the project itself. */
  readonly session: () => string | null;
  /** Works in another session's worktree, or in the project (null). */
  enter(session: string | null, panel: boolean): Promise<void>;
  /** Ends a swap that VS Code has cut off. True: Mission Control was open before it. */
  arrive(): Promise<boolean>;
}

export async function sessionNamed(link: HostLink, id: string): Promise<Session> {
  const { sessions } = await (await link.reach()).call('session.list', {});
  const found = sessions.find((one) => one.id === (id as SessionId));
  if (found !== undefined) return found;
  throw new RoboSmithError('usage', `There is no session ${id}.`, { next: ['robosmith sessions'] });
}

const openedFolder = (): string | null => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;

export function createWorkspace(root: string, link: HostLink, memory: vscode.Memento): Workspace {
  const pointer = (): Pointer | null => memory.get<Pointer>(POINTER) ?? null;
  const own = (): Pointer | null => {
    const kept = pointer();
    return kept?.root === root && kept.folder === openedFolder() ? kept : null;
  };
  const swap = async (to: Pointer): Promise<void> => {
    await memory.update(POINTER, to);
    const uri = vscode.Uri.file(to.folder);
    const folder = vscode.workspace.workspaceFolders?.[0];
    const target = folder === undefined ? uri : folder.uri.with({ path: uri.path });
    const count = vscode.workspace.workspaceFolders?.length ?? 0;
    const name = path.basename(to.folder);
    const isReplaced =
      vscode.workspace.workspaceFile !== undefined &&
      to.tries === 0 &&
      vscode.workspace.updateWorkspaceFolders(0, count, { uri: target, name });
    if (isReplaced) return;
    await vscode.commands.executeCommand('vscode.openFolder', target, { forceReuseWindow: true });
  };
  return {
    root,
    name: path.basename(root),
    session: () => own()?.session ?? sessionOfFolder(openedFolder()),
    enter: async (session, panel) => {
      const found = session === null ? null : await sessionNamed(link, session);
      const folder = found === null ? root : found.worktree;
      if (folder === null) throw new RoboSmithError('wrong_state', `${found?.title ?? ''} has no worktree to work in.`);
      if (folder === openedFolder()) return;
      await swap({ root, folder, session, at: Date.now(), tries: 0, panel });
    },
    arrive: async () => {
      const kept = pointer();
      if (kept?.root !== root) return false;
      const isFresh = Date.now() - kept.at < FRESH_MS;
      if (kept.folder === openedFolder()) {
        if (kept.panel) await memory.update(POINTER, { ...kept, panel: false });
        return isFresh && kept.panel;
      }
      // Other windows of the project share this memory: they stay where they are.
      const isCutOff = isFresh && kept.tries === 0 && vscode.workspace.workspaceFile !== undefined;
      if (isCutOff) await swap({ ...kept, tries: 1 });
      return false;
    },
  };
}

/** Returns the session whose worktree a folder is, as its name ends; null: it is none. */
const sessionOfFolder = (folder: string | null): string | null =>
  folder === null ? null : (/-(s[0-9a-f]{8})$/.exec(path.basename(folder))?.[1] ?? null);
