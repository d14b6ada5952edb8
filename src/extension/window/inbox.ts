import * as vscode from 'vscode';
import { RoboSmithError } from '#protocol/error.ts';
import type { InboxEntry } from '#protocol/generated/view.gen.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { NavigatorParts } from './navigator-parts.ts';

/** The answers that one click can give: they need no text, and nothing is lost with them. */
const VERBS = ['proceed', 'retry', 'next'] as const;

type Verb = (typeof VERBS)[number];

interface Item extends vscode.QuickPickItem {
  readonly entry: InboxEntry;
}

/** A button of an entry, with the answer that it gives. */
interface AnswerButton extends vscode.QuickInputButton {
  readonly verb: Verb;
}

/** `isInterrupted`: the block may be executed again or reported as done. */
const buttonFor = (verb: Verb, isInterrupted: boolean): AnswerButton =>
  ({
    proceed: {
      verb,
      iconPath: new vscode.ThemeIcon(isInterrupted ? 'check' : 'play'),
      tooltip: isInterrupted ? vscode.l10n.t('It is done') : vscode.l10n.t('Approve'),
    },
    retry: { verb, iconPath: new vscode.ThemeIcon('refresh'), tooltip: vscode.l10n.t('Retry') },
    next: { verb, iconPath: new vscode.ThemeIcon('debug-step-over'), tooltip: vscode.l10n.t('Skip to next') },
  })[verb];

/** Returns the answers of a halt that one click can give, as the host offers them. */
const verbsOf = ({ halt, commands }: InboxEntry): readonly Verb[] =>
  halt === null ? [] : VERBS.filter((verb) => commands.some((command) => command.endsWith(` --${verb}`)));

function itemOf(entry: InboxEntry): Item {
  const verbs = verbsOf(entry);
  const isInterrupted = verbs.includes('proceed') && verbs.includes('retry');
  return {
    label: entry.title,
    detail: entry.text,
    buttons: verbs.map((verb) => buttonFor(verb, isInterrupted)),
    entry,
  };
}

async function giveAnswer({ link }: NavigatorParts, { run, halt }: InboxEntry, verb: Verb): Promise<void> {
  if (run === null || halt === null) return;
  const client = await link.reach();
  const outcome = await client.call('run.answer', { run: run as RunId, halt: halt as HaltId, answer: { verb } });
  if (!outcome.accepted)
    throw new RoboSmithError(
      'wrong_state',
      outcome.message ?? vscode.l10n.t('This halt no longer accepts that answer.'),
    );
}

/** Opens the block of an entry in Mission Control. */
function go({ views }: NavigatorParts, { session, run, block, halt }: InboxEntry): void {
  views.reveal(session ?? run);
  views.goTo({ block, halt });
}

/**
 * Lists everything that waits for the user. Picking an entry opens its block in Mission Control; its buttons answer the
 * halt at once.
 */
export async function showInbox(parts: NavigatorParts): Promise<void> {
  const { state } = parts;
  await state.known();
  const entries = state.inbox();
  if (entries.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for you.'));
  const list = vscode.window.createQuickPick<Item>();
  list.placeholder = vscode.l10n.t('What waits for you');
  list.items = entries.map(itemOf);
  list.onDidTriggerItemButton(({ item, button }) => {
    list.hide();
    const { verb } = button as AnswerButton;
    giveAnswer(parts, item.entry, verb).catch((thrown: unknown) => vscode.window.showErrorMessage(messageOf(thrown)));
  });
  list.onDidAccept(() => {
    const [picked] = list.activeItems;
    list.hide();
    if (picked !== undefined) go(parts, picked.entry);
  });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  list.onDidHide(() => {
    list.dispose();
    resolve(undefined);
  });
  list.show();
  await promise;
}
