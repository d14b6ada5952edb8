import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { asNode, type ProgramFiles } from '../window/program-files.ts';
import type { NoticeMode } from './new-notices.ts';

const run = promisify(execFile);

interface Places {
  readonly desktop: boolean;
  /** The webhook without its path, which is a secret. */
  readonly webhook: string | null;
}

type Notify = (...args: readonly string[]) => Promise<Places>;

const notifyIn =
  (root: string, { cli }: ProgramFiles): Notify =>
  async (...args) => {
    const { stdout } = await run(process.execPath, [cli, '-C', root, 'notify', ...args, '--json'], {
      env: asNode(process.env),
    });
    return JSON.parse(stdout) as Places;
  };

interface Item extends vscode.QuickPickItem {
  readonly work: () => Promise<unknown>;
}

async function askWebhook(notify: Notify): Promise<void> {
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Webhook'),
    prompt: vscode.l10n.t('An https URL to which notifications are posted as JSON. Leave it empty to send none.'),
    ignoreFocusOut: true,
  });
  if (address !== undefined) await notify('--webhook', address === '' ? 'none' : address);
}

function editorItems(): readonly Item[] {
  const settings = vscode.workspace.getConfiguration('roboSmith');
  const current = settings.get<NoticeMode>('notifications', 'away');
  const labels: readonly (readonly [NoticeMode, string])[] = [
    ['away', vscode.l10n.t('In VS Code, unless you look at Mission Control')],
    ['always', vscode.l10n.t('In VS Code, always')],
    ['never', vscode.l10n.t('In VS Code, never')],
  ];
  return labels.map(([value, label]) => ({
    label: `${value === current ? '$(check) ' : ''}${label}`,
    work: async () => settings.update('notifications', value, vscode.ConfigurationTarget.Global),
  }));
}

/** Lets the user choose where notifications of halts and ended runs appear: in VS Code, on the desktop, by a webhook. */
export async function setUpNotices(root: string, files: ProgramFiles): Promise<void> {
  const notify = notifyIn(root, files);
  const { desktop, webhook } = await notify();
  const items: readonly Item[] = [
    ...editorItems(),
    {
      label: `${desktop ? '$(check) ' : ''}${vscode.l10n.t('On the desktop')}`,
      work: () => notify('--desktop', desktop ? 'off' : 'on'),
    },
    {
      label: `${webhook === null ? '' : '$(check) '}${vscode.l10n.t('By a webhook…')}`,
      description: webhook ?? '',
      work: () => askWebhook(notify),
    },
    ...(desktop || webhook !== null
      ? [{ label: vscode.l10n.t('Send a test notification'), work: () => notify('--test') }]
      : []),
  ];
  const title = vscode.l10n.t('Notifications of halts and ended runs');
  const picked = await vscode.window.showQuickPick(items, { title });
  await picked?.work();
}
