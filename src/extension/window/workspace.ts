import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/*
 * Switches the window between the project's folder and the worktrees of sessions. VS Code restarts its extensions when
 * the first folder changes, so the requested switch is stored in the global state until it is completed.
 *
 * 1. A window with a single folder is reopened with the other folder. Replacing its folder would turn the window into
 *    an untitled workspace, which VS Code sometimes opens without any folder.
 * 2. In a workspace file, the first folder is replaced. VS Code sometimes comes back with the old folder; then the
 *    window is reopened with the new folder alone.
 */

const POINTER = 'roboSmith.context';
/** Time in milliseconds after which a switch that was not completed is abandoned. */
const FRESH_MS = 60_000;

interface Pointer {
  readonly root: string;
  readonly folder: string;
  readonly session: string | null;
  readonly at: number;
  readonly tries: number;
  /** True if Mission Control was open before the switch. */
  readonly panel: boolean;
}

export interface Workspace {
  /** The project's root folder. */
  readonly root: string;
  readonly name: string;
  /** Returns the session whose worktree is open in the window, or null for the project itself. */
  readonly session: () => string | null;
  /**
   * Switches the window to the worktree of a session, or to the project (null). `panel`: whether Mission Control is
   * open.
   */
  enter(session: string | null, panel: boolean): Promise<void>;
  /** Completes a switch that VS Code's restart interrupted. Returns true if Mission Control was open before it. */
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
      if (folder === null) throw new RoboSmithError('wrong_state', `${found?.title ?? ''} has no worktree.`);
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
      // All windows of the project share the stored request to switch the folder. Only a window with a workspace file
      // repeats the request, because only there can VS Code restart with the old folder.
      const isCutOff = isFresh && kept.tries === 0 && vscode.workspace.workspaceFile !== undefined;
      if (isCutOff) await swap({ ...kept, tries: 1 });
      return false;
    },
  };
}

/** Returns the id of the session whose worktree a folder is, taken from the end of its name; null for other folders. */
const sessionOfFolder = (folder: string | null): string | null =>
  folder === null ? null : (/-(s[0-9a-f]{8})$/.exec(path.basename(folder))?.[1] ?? null);
