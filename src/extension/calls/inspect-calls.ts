import * as vscode from 'vscode';
import type { CallRecord } from '#protocol/call-record.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ShownCall } from '#protocol/host.ts';
import { askTrust } from '../window/ask-person.ts';
import type { ShownTexts } from '../quick-fix/shown-texts.ts';
import { streamAnswer } from '../quick-fix/stream-answer.ts';
import { editedWordings } from './edited-wordings.ts';
import { CALL_SCHEME, type CallFiles } from './call-files.ts';
import { costText, pickCall, pickCalls, type PickParts } from './pick-call.ts';

export interface InspectParts extends PickParts {
  readonly texts: ShownTexts;
  readonly files: CallFiles;
}

const answerOf = ({ answer, outcome }: CallRecord): string => answer?.text ?? vscode.l10n.t('No answer: {0}', outcome);

const nameOf = ({ call, request, cost }: CallRecord): string => `${call} ${request.model} ${costText(cost.micro_usd)}`;

const show = async ({ link }: InspectParts, call: string): Promise<ShownCall> =>
  (await link.reach()).call('calls.show', { call });

/** Lets the user pick a logged model call, and opens its request as an editable file with the answer beside it. */
export async function inspectCall(parts: InspectParts): Promise<void> {
  const picked = await pickCall(parts, vscode.l10n.t('AI calls'));
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

/** The maximum number of answers that are shown side by side: VS Code has nine columns. */
const MOST_COLUMNS = 9;

/** Shows answers in columns side by side; the name of each has its model and its cost. */
async function showInColumns({ texts }: InspectParts, records: readonly CallRecord[]): Promise<void> {
  const { One, Two, Three, Four, Five, Six, Seven, Eight, Nine } = vscode.ViewColumn;
  const columns = [One, Two, Three, Four, Five, Six, Seven, Eight, Nine];
  for (const [index, record] of records.slice(0, MOST_COLUMNS).entries()) {
    const answer = texts.create(`${nameOf(record)}.md`);
    texts.set(answer, answerOf(record));
    const viewColumn = columns[index] ?? vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(answer, { viewColumn, preserveFocus: index > 0, preview: false });
  }
}

/** Lets the user pick logged calls: compares the answers of two, and shows those of several side by side. */
export async function compareCalls(parts: InspectParts): Promise<void> {
  const picked = await pickCalls(parts, vscode.l10n.t('Compare answers: pick two or more'));
  if (picked.length === 0) return;
  const shown = await Promise.all(picked.map(({ call }) => show(parts, call)));
  // Oldest first, as the calls were made.
  const records = shown.map(({ record }) => record).sort((left, right) => left.started_at - right.started_at);
  const [before, after] = records;
  if (records.length === 2 && before !== undefined && after !== undefined) return compare(parts, before, after);
  if (records.length > MOST_COLUMNS)
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The first {0} of {1} answers are shown.', MOST_COLUMNS, records.length),
    );
  return showInColumns(parts, records);
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
      vscode.l10n.t(
        'Neither the contract nor the persona of this call was edited. Edit one of them in the request first.',
      ),
    );
  const { wordingEdits } = await import('../manifest/wording-edits.ts');
  const edit = await wordingEdits(vscode.Uri.file(root), record.block, changed);
  if (edit === null)
    throw new RoboSmithError('refused', vscode.l10n.t('The block {0} is no longer in the manifest.', record.block));
  await vscode.workspace.applyEdit(edit.changes);
  await vscode.window.showTextDocument(edit.file);
}
