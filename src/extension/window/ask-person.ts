import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ViewToHost } from '#protocol/generated/view.gen.ts';
import { askUnsaved, unsavedIn } from './unsaved.ts';
import { sessionNamed } from './workspace.ts';

const refused = (message: string): RoboSmithError => new RoboSmithError('refused', message);

const MOST_LINES = 12;

/** Asks the user to trust the project's commands, unless they are trusted already. Rejects if the user declines. */
export async function askTrust(link: HostLink): Promise<void> {
  const client = await link.reach();
  const { trusted, hash, executables } = await client.call('trust.look', {});
  if (trusted) return;
  const lines = executables.slice(0, MOST_LINES).map(({ what, command }) => `${command}  (${what})`);
  const more = executables.length - lines.length;
  const detail = [
    ...lines,
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
    '',
    vscode.l10n.t('You are asked again only if this list changes.'),
  ];
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('This project wants to run commands or call models.'),
    { modal: true, detail: detail.join('\n') },
    vscode.l10n.t('Trust and Run'),
  );
  if (answer === undefined) throw refused(vscode.l10n.t('The project is not trusted; nothing was run.'));
  const { remembered } = await client.call('trust.remember', { hash });
  if (!remembered)
    throw refused(vscode.l10n.t('The manifest has changed in the meantime; nothing was run. Start the run again.'));
}

async function confirmDiscard(
  message: Extract<ViewToHost, { command: 'discard' }>,
  link: HostLink,
): Promise<ViewToHost> {
  const { title, branch } = await sessionNamed(link, message.payload.session);
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Discard {0}?', title),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The branch {0} and its worktree are removed. Their content is kept for 30 days and can be restored.',
        branch ?? '',
      ),
    },
    vscode.l10n.t('Discard'),
  );
  if (answer === undefined) throw refused(vscode.l10n.t('Nothing was discarded.'));
  return { ...message, payload: { ...message.payload, confirmed: true, force: true } };
}

/** The outcomes that commit what is on disk in a session's worktree. */
const TAKES_WORK: ReadonlySet<ViewToHost['command']> = new Set(['merge', 'hold', 'push', 'update']);

/**
 * Asks about unsaved changes in a session's worktree, and about those in the project's own folder to files that a merge
 * changes.
 */
async function askUnsavedWork(
  message: Extract<ViewToHost, { command: 'merge' | 'hold' | 'push' | 'update' }>,
  link: HostLink,
  root: string,
  files: readonly string[],
): Promise<ViewToHost> {
  const { worktree } = await sessionNamed(link, message.payload.session);
  await askUnsaved(
    worktree === null ? [] : unsavedIn(worktree),
    vscode.l10n.t("Files of this session's worktree have unsaved changes, which are not part of its work."),
  );
  const own = message.command === 'merge' ? unsavedIn(root, new Set(files)) : [];
  await askUnsaved(own, vscode.l10n.t('The merge changes files that have unsaved changes in the editor.'));
  return message;
}

const takesWork = (message: ViewToHost): message is Parameters<typeof askUnsavedWork>[0] =>
  TAKES_WORK.has(message.command);

/**
 * Asks for the confirmation that a view's message needs before it is sent to the host. Returns null if it needs none.
 * `files`: those that the shown result changes.
 */
export function askBefore(
  message: ViewToHost,
  link: HostLink,
  shown: { readonly root: string; readonly files: readonly string[] } | null = null,
): Promise<ViewToHost> | null {
  if (shown !== null && takesWork(message)) return askUnsavedWork(message, link, shown.root, shown.files);
  if (message.command === 'run' || message.command === 'create') return askTrust(link).then(() => message);
  return message.command === 'discard' && !message.payload.confirmed ? confirmDiscard(message, link) : null;
}
