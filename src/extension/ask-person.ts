import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ViewToHost } from '#protocol/generated/view.gen.ts';
import { sessionNamed } from './workspace.ts';

const refused = (message: string): RoboSmithError => new RoboSmithError('refused', message);

const MOST_LINES = 12;

/** Asks once whether the project may run its commands; rejects where it may not. */
async function askTrust(link: HostLink): Promise<void> {
  const client = await link.reach();
  const { trusted, hash, executables } = await client.call('trust.look', {});
  if (trusted) return;
  const lines = executables.slice(0, MOST_LINES).map(({ what, command }) => `${command}  (${what})`);
  const more = executables.length - lines.length;
  const detail = [
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
    '',
    'This is asked once, until this list changes.',
  ];
  const answer = await vscode.window.showWarningMessage(
    'This project wants to run commands or call models.',
    { modal: true, detail: detail.join('\n') },
    'Trust and Run',
  );
  if (answer === undefined) throw refused('The project is not trusted; nothing was run.');
  const { remembered } = await client.call('trust.remember', { hash });
  if (!remembered) throw refused('The manifest has changed meanwhile; nothing was run.');
}

async function confirmDiscard(
  message: Extract<ViewToHost, { command: 'discard' }>,
  link: HostLink,
): Promise<ViewToHost> {
  const { title, branch } = await sessionNamed(link, message.payload.session);
  const detail = `The branch ${branch} and its worktree are removed. Their content is kept for 30 days and can be restored.`;
  const answer = await vscode.window.showWarningMessage(`Discard ${title}?`, { modal: true, detail }, 'Discard');
  if (answer === undefined) throw refused('Nothing was discarded.');
  return { ...message, payload: { ...message.payload, confirmed: true, force: true } };
}

/** Asks what must be asked before the host does something. Null: nothing is asked. */
export function askBefore(message: ViewToHost, link: HostLink): Promise<ViewToHost> | null {
  if (message.command === 'run' || message.command === 'create') return askTrust(link).then(() => message);
  return message.command === 'discard' && !message.payload.confirmed ? confirmDiscard(message, link) : null;
}
