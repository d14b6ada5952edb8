import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { ListedKeys } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import { addKey } from './add-key.ts';
import type { StoredSecrets } from './stored-secrets.ts';

type ListedKey = ListedKeys['keys'][number];

interface Item extends vscode.QuickPickItem {
  readonly alias: string;
}

const REFRESH_MS = 2_000;
const DAY_MS = 86_400_000;
const MICRO = 1e6;

const BUTTONS = {
  test: { iconPath: new vscode.ThemeIcon('beaker'), tooltip: vscode.l10n.t('Test') },
  up: { iconPath: new vscode.ThemeIcon('arrow-up'), tooltip: vscode.l10n.t('Use earlier') },
  down: { iconPath: new vscode.ThemeIcon('arrow-down'), tooltip: vscode.l10n.t('Use later') },
  remove: { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Remove') },
} satisfies Record<string, vscode.QuickInputButton>;

const ADD: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('add'), tooltip: vscode.l10n.t('Add a key') };

/** Returns the state of an API key as text with an icon. */
export function stateOf({ hasSecret, keyless, disabled, report }: ListedKey): string {
  if (!hasSecret && keyless !== true) return `$(circle-slash) ${vscode.l10n.t('no secret on this machine')}`;
  if (disabled === true) return `$(circle-slash) ${vscode.l10n.t('disabled')}`;
  if (report === null || report.state === 'healthy') return `$(pass) ${vscode.l10n.t('healthy')}`;
  const why = report.why === null ? '' : ` (${report.why})`;
  if (report.until === null) return `$(error) ${report.state}${why}`;
  const until = new Date(report.until).toLocaleTimeString();
  return `$(clock) ${vscode.l10n.t('{0} until {1}', report.state, until)}${why}`;
}

/** Returns a key's calls and cost since midnight UTC, the period that budgets use. */
function useToday(alias: string, calls: readonly CallSummary[], now: number): string {
  const midnight = now - (now % DAY_MS);
  const own = calls.filter(({ key, started_at }) => key === alias && started_at >= midnight);
  if (own.length === 0) return vscode.l10n.t('not used today');
  const cost = own.reduce((sum, { micro_usd }) => sum + (micro_usd ?? 0), 0) / MICRO;
  const isPartial = own.some(({ micro_usd }) => micro_usd === null);
  const money = `${isPartial && cost > 0 ? '≥ ' : ''}$${cost === 0 ? '0' : cost.toFixed(4)}`;
  return own.length === 1
    ? vscode.l10n.t('1 call today, {0}', money)
    : vscode.l10n.t('{0} calls today, {1}', own.length, money);
}

async function itemsOf(link: HostLink): Promise<readonly Item[]> {
  const client = await link.reach();
  const [{ keys }, { calls }] = await Promise.all([client.call('keys.list', {}), client.call('calls.list', {})]);
  const ordered = [...keys].sort((left, right) => (left.tier ?? Infinity) - (right.tier ?? Infinity));
  return ordered.map((key, index) => ({
    alias: key.alias,
    label: key.alias,
    description: `${key.provider}  ${stateOf(key)}`,
    detail: `${useToday(key.alias, calls, Date.now())}${key.from.kind === 'environment' ? `  ${key.from.variable}` : ''}`,
    buttons: [
      BUTTONS.test,
      ...(index === 0 ? [] : [BUTTONS.up]),
      ...(index === ordered.length - 1 ? [] : [BUTTONS.down]),
      ...(key.from.kind === 'environment' ? [] : [BUTTONS.remove]),
    ],
  }));
}

async function test(link: HostLink, alias: string): Promise<void> {
  const { result, said, models } = await (await link.reach()).call('keys.test', { alias });
  const text = `${alias}: ${result}${models === null ? '' : vscode.l10n.t(', {0} models', models)}${said === '' ? '' : `. ${said}`}`;
  if (result === 'good') void vscode.window.showInformationMessage(text);
  else void vscode.window.showWarningMessage(text);
}

async function move(link: HostLink, items: readonly Item[], alias: string, by: -1 | 1): Promise<void> {
  const names = items.map((item) => item.alias);
  const at = names.indexOf(alias);
  const other = names[at + by];
  if (at === -1 || other === undefined) return;
  const order = names.with(at, other).with(at + by, alias);
  await (await link.reach()).call('keys.order', { order: order.map((name) => [name]) });
}

async function remove(link: HostLink, secrets: StoredSecrets, alias: string): Promise<void> {
  const take = vscode.l10n.t('Remove');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the key "{0}"?', alias),
    { modal: true, detail: vscode.l10n.t('Its secret is deleted from the secret storage of VS Code.') },
    take,
  );
  if (answer !== take) return;
  await (await link.reach()).call('keys.remove', { alias });
  await secrets.remove(alias);
}

/** Shows the user's API keys with their live states in a list, in which each key can be tested, moved and removed. */
export async function manageKeys(link: HostLink, secrets: StoredSecrets): Promise<void> {
  const items = await itemsOf(link);
  const list = vscode.window.createQuickPick<Item>();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  list.title = vscode.l10n.t('API keys, in the order of their use');
  list.placeholder = items.length === 0 ? vscode.l10n.t('No key yet: add one with the button above.') : '';
  list.items = items;
  list.buttons = [ADD];
  list.ignoreFocusOut = true;
  const refresh = async (): Promise<void> => {
    const active = list.activeItems[0]?.alias;
    list.items = await itemsOf(link);
    list.activeItems = list.items.filter(({ alias }) => alias === active);
  };
  const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH_MS);
  const perform = (work: Promise<unknown>): void =>
    void work.then(refresh).catch((thrown: unknown) => vscode.window.showErrorMessage(messageOf(thrown)));
  const again = (work: Promise<unknown>): void => {
    list.hide();
    work.then(
      () => manageKeys(link, secrets),
      (thrown: unknown) => vscode.window.showErrorMessage(messageOf(thrown)),
    );
  };
  list.onDidTriggerButton(() => again(addKey(link, secrets)));
  list.onDidTriggerItemButton(({ item: { alias }, button }) => {
    if (button === BUTTONS.test) perform(test(link, alias));
    if (button === BUTTONS.up) perform(move(link, list.items, alias, -1));
    if (button === BUTTONS.down) perform(move(link, list.items, alias, 1));
    if (button === BUTTONS.remove) again(remove(link, secrets, alias));
  });
  list.onDidAccept(() => {
    const alias = list.activeItems[0]?.alias;
    if (alias === undefined) again(addKey(link, secrets));
    else perform(test(link, alias));
  });
  list.onDidHide(() => {
    clearInterval(timer);
    list.dispose();
    resolve(undefined);
  });
  list.show();
  await promise;
}
