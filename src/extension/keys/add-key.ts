import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { isLocalServer } from '#protocol/local-server.ts';
import { PROVIDERS } from '#protocol/provider.ts';
import type { StoredSecrets } from './stored-secrets.ts';

const ALIAS = /^[a-z0-9][a-z0-9._-]*$/;

async function askAddress(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Add a key'),
    prompt: vscode.l10n.t('The address of the server'),
    placeHolder: 'https://host/v1',
    validateInput: (text) =>
      /^https?:\/\//.test(text) ? null : vscode.l10n.t('The address must begin with https:// or http://.'),
  });
}

/** Asks for the key itself. `isOptional`: the server runs on this machine and may need none, so it may be empty. */
async function askSecret(isOptional: boolean): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Add a key'),
    prompt: isOptional
      ? vscode.l10n.t(
          'The key. It is stored in the secret storage of VS Code and is never shown. Leave it empty if the server needs none.',
        )
      : vscode.l10n.t('The key. It is stored in the secret storage of VS Code and is never shown.'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' && !isOptional ? vscode.l10n.t('Enter a key.') : null),
  });
}

/**
 * Asks for an API key with a hidden input and stores it in VS Code's SecretStorage; an empty one is not stored. Returns
 * false if the user cancels.
 */
export async function addKey(link: HostLink, secrets: StoredSecrets): Promise<boolean> {
  const title = vscode.l10n.t('Add a key');
  const provider = await vscode.window.showQuickPick(PROVIDERS, {
    title,
    placeHolder: vscode.l10n.t('Which provider is the key for?'),
  });
  if (provider === undefined) return false;
  const baseUrl = provider === 'openai-compatible' ? await askAddress() : null;
  if (baseUrl === undefined) return false;
  const alias = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('A name for the key'),
    placeHolder: 'work',
    validateInput: (text) =>
      ALIAS.test(text) ? null : vscode.l10n.t('Use lowercase letters, digits, "-", "_" and ".".'),
  });
  if (alias === undefined) return false;
  const given = await askSecret(baseUrl !== null && isLocalServer('openai-compatible', baseUrl));
  if (given === undefined) return false;
  const secret = given.trim();
  const client = await link.reach();
  const { keys } = await client.call('keys.list', {});
  const replace = vscode.l10n.t('Replace');
  const isThere = keys.some((key) => key.alias === alias);
  if (isThere) {
    const question = vscode.l10n.t('A key "{0}" already exists.', alias);
    if ((await vscode.window.showWarningMessage(question, { modal: true }, replace)) !== replace) return false;
  }
  await client.call('keys.add', { alias, secret, provider, baseUrl, replace: isThere });
  if (secret === '') await secrets.remove(alias);
  else await secrets.store(alias, secret);
  return true;
}
