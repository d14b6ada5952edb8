import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { CallSummary } from '#protocol/call-record.ts';

interface Item extends vscode.QuickPickItem {
  readonly call: CallSummary;
}

const MICRO = 1e6;

/** Formats the cost of a model call in US dollars. `null` means that the price is unknown. */
export const costText = (microUsd: number | null): string =>
  microUsd === null ? vscode.l10n.t('cost unknown') : `$${(microUsd / MICRO).toFixed(4)}`;

const itemOf = (call: CallSummary): Item => ({
  call,
  label: `${call.outcome === 'ok' ? '$(pass)' : '$(error)'} ${call.block ?? vscode.l10n.t('question')}  ${call.model}`,
  description: `${call.outcome}  ${costText(call.micro_usd)}  ${new Date(call.started_at).toLocaleString()}`,
  detail: [
    call.call,
    ...(call.run === null ? [] : [call.run]),
    call.provider,
    ...(call.key === null ? [] : [call.key]),
    `${call.input ?? '?'} → ${call.output ?? '?'} tokens`,
    ...(call.origin === null ? [] : [vscode.l10n.t('repeats {0}', call.origin)]),
  ].join('  '),
});

const FAILED: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('error'),
  tooltip: vscode.l10n.t('Only calls that failed'),
};
const DEAREST: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('credit-card'),
  tooltip: vscode.l10n.t('The most expensive first'),
};
const ALL: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('clear-all'),
  tooltip: vscode.l10n.t('All calls, newest first'),
};

const byCost = (left: CallSummary, right: CallSummary): number => (right.micro_usd ?? 0) - (left.micro_usd ?? 0);

/** Lets the user pick a logged model call by searching its fields. Returns null if none is picked. */
export async function pickCall(link: HostLink, title: string): Promise<CallSummary | null> {
  const { calls } = await (await link.reach()).call('calls.list', {});
  if (calls.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No model call is logged in this project yet.'));
    return null;
  }
  const { promise, resolve } = Promise.withResolvers<CallSummary | null>();
  const list = vscode.window.createQuickPick<Item>();
  list.title = title;
  list.placeholder = vscode.l10n.t('Search by block, model, run, key, outcome, cost or time');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.buttons = [FAILED, DEAREST, ALL];
  const show = (shown: readonly CallSummary[]): void => {
    list.items = shown.map(itemOf);
  };
  show(calls);
  list.onDidTriggerButton((button) => {
    if (button === FAILED) show(calls.filter(({ outcome }) => outcome !== 'ok'));
    else show(button === DEAREST ? calls.toSorted(byCost) : calls);
  });
  list.onDidAccept(() => {
    resolve(list.activeItems[0]?.call ?? null);
    list.hide();
  });
  list.onDidHide(() => {
    resolve(null);
    list.dispose();
  });
  list.show();
  return promise;
}
