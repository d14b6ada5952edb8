import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ShownCall } from '#protocol/host.ts';
import { askTrust } from '../ask-person.ts';
import type { ShownTexts } from '../quick-fix/shown-texts.ts';
import { streamAnswer } from '../quick-fix/stream-answer.ts';
import { editedWordings } from './edited-wordings.ts';
import { CALL_SCHEME, type CallFiles } from './call-files.ts';
import { costText, pickCall } from './pick-call.ts';

export interface InspectParts {
  readonly link: HostLink;
  readonly texts: ShownTexts;
  readonly files: CallFiles;
}

const answerOf = ({ answer, outcome }: CallRecord): string => answer?.text ?? vscode.l10n.t('No answer: {0}', outcome);

const nameOf = ({ call, request, cost }: CallRecord): string => `${call} ${request.model} ${costText(cost.micro_usd)}`;

const show = async ({ link }: InspectParts, call: string): Promise<ShownCall> =>
  (await link.reach()).call('calls.show', { call });

/** Lets the user pick a logged model call, and opens its request as an editable file with the answer beside it. */
export async function inspectCall(parts: InspectParts): Promise<void> {
  const picked = await pickCall(parts.link, vscode.l10n.t('AI calls'));
  if (picked === null) return;
  const { record, request } = await show(parts, picked.call);
  const file = parts.files.open(record.call, request);
  await vscode.window.showTextDocument(file, { preview: false, viewColumn: vscode.ViewColumn.One });
  const answer = parts.texts.create(`${nameOf(record)}.md`);
  parts.texts.set(answer, answerOf(record));
  await vscode.window.showTextDocument(answer, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

/** Returns the logged call whose request is in the active editor, with the edited text; null for other editors. */
function editedCall(): { readonly call: string; readonly text: string } | null {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme !== CALL_SCHEME) return null;
  return { call: document.uri.path.slice(1).replace(/\.txt$/, ''), text: document.getText() };
}

/** Shows two answers in VS Code's diff editor; its title contains the costs of both calls. */
async function compare({ texts }: InspectParts, before: CallRecord, after: CallRecord): Promise<void> {
  const [left, right] = [texts.create(`${before.call}.md`), texts.create(`${after.call}.md`)];
  texts.set(left, answerOf(before));
  texts.set(right, answerOf(after));
  await vscode.commands.executeCommand('vscode.diff', left, right, `${nameOf(before)} ↔ ${nameOf(after)}`);
}

/**
 * Sends the edited request of the active editor to the model again, and compares the new answer with the logged one.
 */
export async function rerunCall(parts: InspectParts): Promise<void> {
  const edited = editedCall();
  if (edited === null) return inspectCall(parts);
  const { call, text } = edited;
  await askTrust(parts.link);
  const { record: before, request } = await show(parts, call);
  const growing = parts.texts.create('answer.md');
  await vscode.window.showTextDocument(growing, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  const { record: after } = await streamAnswer(
    parts.link,
    vscode.l10n.t('Sending {0} again…', call),
    (piece) => parts.texts.add(growing, piece),
    (client, stream) => client.call('calls.rerun', { stream, call, request: text === request ? null : text }),
  );
  await parts.texts.close(growing);
  await compare(parts, before, after);
}

/** Lets the user pick two logged calls and compares their answers. */
export async function compareCalls(parts: InspectParts): Promise<void> {
  const left = await pickCall(parts.link, vscode.l10n.t('Compare answers (1 of 2)'));
  const right = left === null ? null : await pickCall(parts.link, vscode.l10n.t('Compare answers (2 of 2)'));
  if (left === null || right === null) return;
  const [before, after] = [await show(parts, left.call), await show(parts, right.call)];
  await compare(parts, before.record, after.record);
}

/** Writes the edited contract or persona of a logged call to the manifest, as one edit that can be undone. */
export async function useWording(parts: InspectParts, root: string): Promise<void> {
  const edited = editedCall();
  if (edited === null)
    return void vscode.window.showInformationMessage(vscode.l10n.t('Open a logged call first and edit its request.'));
  const { record } = await show(parts, edited.call);
  const changed = editedWordings(edited.text, record);
  if (record.block === null || changed.size === 0)
    return void vscode.window.showInformationMessage(
      vscode.l10n.t('Neither the contract nor the persona of this call was edited.'),
    );
  const { wordingEdits } = await import('../manifest/wording-edits.ts');
  const edit = await wordingEdits(vscode.Uri.file(root), record.block, changed);
  if (edit === null)
    throw new RoboSmithError('refused', vscode.l10n.t('The block {0} is no longer in the manifest.', record.block));
  await vscode.workspace.applyEdit(edit.changes);
  await vscode.window.showTextDocument(edit.file);
}
