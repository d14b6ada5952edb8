import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import { messageOf } from '#protocol/message-of.ts';
import { CALL_FIELDS, type CallQuery, type KnownCall, readQuery, searchCalls } from './search-calls.ts';

/** The names that the window knows of the project: the worker of each block, and the titles of sessions. */
export interface ProjectNames {
  workerOf(block: string): string | null;
  titleOf(session: string | null, run: string | null): string | null;
}

export interface PickParts {
  readonly link: HostLink;
  readonly names: ProjectNames;
}

interface Item extends vscode.QuickPickItem {
  readonly call: CallSummary;
}

const MICRO = 1e6;

/** Formats the cost of a model call in US dollars. `null` means that the price is unknown. */
export const costText = (microUsd: number | null): string =>
  microUsd === null ? vscode.l10n.t('cost unknown') : `$${(microUsd / MICRO).toFixed(4)}`;

const itemOf = ({ call, worker, session }: KnownCall): Item => ({
  call,
  // RoboSmith performs the search itself, so VS Code must not filter the result again.
  alwaysShow: true,
  label: `${call.outcome === 'ok' ? '$(pass)' : '$(error)'} ${call.block ?? vscode.l10n.t('question')}  ${call.model}`,
  description: `${call.outcome}  ${costText(call.micro_usd)}  ${new Date(call.started_at).toLocaleString()}`,
  detail: [
    call.call,
    ...[session, worker, call.run].filter((one) => one !== null),
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

const byCost = (left: KnownCall, right: KnownCall): number => (right.call.micro_usd ?? 0) - (left.call.micro_usd ?? 0);

async function knownCalls({ link, names }: PickParts): Promise<readonly KnownCall[]> {
  const { calls } = await (await link.reach()).call('calls.list', {});
  return calls.map((call) => ({
    call,
    worker: call.block === null ? null : names.workerOf(call.block),
    session: names.titleOf(call.session ?? null, call.run),
  }));
}

/** Returns the ids of the calls that contain all texts of a query. */
async function callsWith(link: HostLink, { texts }: CallQuery): Promise<ReadonlySet<string>> {
  const client = await link.reach();
  const found = await Promise.all(texts.map(async (text) => (await client.call('calls.search', { text })).calls));
  const [first = [], ...others] = found;
  return new Set(first.filter((call) => others.every((other) => other.includes(call))));
}

/**
 * Shows the calls that match the text in the list's input box. The list is updated when the text or the list of known
 * calls changes.
 */
function showSearch(list: vscode.QuickPick<Item>, link: HostLink, all: readonly KnownCall[]): vscode.Disposable {
  let calls = all;
  let asked = 0;
  let found: { readonly key: string; readonly ids: ReadonlySet<string> } | null = null;
  const show = (query: CallQuery): void => {
    const ids = found?.key === query.texts.join('\n') ? found.ids : null;
    const picked = new Set(list.selectedItems.map(({ call }) => call.call));
    const items = searchCalls(calls, query, Date.now(), ids).map(itemOf);
    const shown = new Set(items.map(({ call }) => call.call));
    // What is already picked stays picked, even if the new search does not find it.
    list.items = [...list.selectedItems.filter(({ call }) => !shown.has(call.call)), ...items];
    if (list.canSelectMany) list.selectedItems = list.items.filter(({ call }) => picked.has(call.call));
  };
  const search = (): void => {
    const query = readQuery(list.value);
    const key = query.texts.join('\n');
    const turn = (asked += 1);
    show(query);
    list.busy = query.texts.length > 0 && found?.key !== key;
    if (!list.busy) return;
    callsWith(link, query).then(
      (ids) => {
        if (turn !== asked) return;
        found = { key, ids };
        list.busy = false;
        show(query);
      },
      (thrown: unknown) => {
        list.busy = false;
        void vscode.window.showErrorMessage(messageOf(thrown));
      },
    );
  };
  search();
  return vscode.Disposable.from(
    list.onDidChangeValue(search),
    list.onDidTriggerButton((button) => {
      if (button === FAILED) calls = all.filter(({ call }) => call.outcome !== 'ok');
      else calls = button === DEAREST ? all.toSorted(byCost) : all;
      search();
    }),
  );
}

/** Lets the user pick logged model calls by a search. Returns none if the user picks none. */
async function pickFrom(parts: PickParts, title: string, canPickSeveral: boolean): Promise<readonly CallSummary[]> {
  const calls = await knownCalls(parts);
  if (calls.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No model call is logged in this project yet.'));
    return [];
  }
  const { promise, resolve } = Promise.withResolvers<readonly CallSummary[]>();
  const list = vscode.window.createQuickPick<Item>();
  list.title = title;
  list.placeholder = vscode.l10n.t(
    'Words, or {0}: block:review model:opus cost>0.01 time:2h text:"not found"',
    CALL_FIELDS.join(', '),
  );
  list.canSelectMany = canPickSeveral;
  list.buttons = [FAILED, DEAREST, ALL];
  const searching = showSearch(list, parts.link, calls);
  list.onDidAccept(() => {
    const picked = canPickSeveral ? list.selectedItems : list.activeItems.slice(0, 1);
    resolve(picked.map(({ call }) => call));
    list.hide();
  });
  list.onDidHide(() => {
    resolve([]);
    searching.dispose();
    list.dispose();
  });
  list.show();
  return promise;
}

/** Lets the user pick a logged model call by a search. Returns null if none is picked. */
export const pickCall = async (parts: PickParts, title: string): Promise<CallSummary | null> =>
  (await pickFrom(parts, title, false))[0] ?? null;

/** Lets the user pick several logged model calls by a search. */
export const pickCalls = (parts: PickParts, title: string): Promise<readonly CallSummary[]> =>
  pickFrom(parts, title, true);
