import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { askTrust } from '../window/ask-person.ts';
import type { Proposals } from './proposals.ts';
import { readProposal } from './read-answer.ts';
import type { ShownTexts } from './shown-texts.ts';
import { streamAnswer } from './stream-answer.ts';

export interface QuickFixParts {
  readonly root: string;
  readonly link: HostLink;
  readonly texts: ShownTexts;
  readonly proposals: Proposals;
}

/** The code that a quick fix is requested for. */
interface Target {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  /** The initial text of the question's input box. */
  readonly question: string;
}

/** Number of lines before and after the selection that are sent to the model as context. */
const CONTEXT_LINES = 60;

/**
 * Returns the selected range, or the whole line at the cursor if nothing is selected, because a part of a statement
 * can't be corrected.
 */
function rangeOf({ document, selection }: vscode.TextEditor): vscode.Range {
  if (!selection.isEmpty) return selection;
  return document.lineAt(selection.active.line).range;
}

const problemsIn = (document: vscode.TextDocument, range: vscode.Range): readonly vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(document.uri).filter((one) => one.range.intersection(range) !== undefined);

const questionFor = (problems: readonly vscode.Diagnostic[]): string =>
  problems.length === 0 ? '' : vscode.l10n.t('Fix: {0}', problems.map(({ message }) => message).join(' '));

function targetOf(given: readonly unknown[]): Target | null {
  const [uri, range] = given;
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return null;
  const { document } = editor;
  const isGiven = uri instanceof vscode.Uri && range instanceof vscode.Range;
  const chosen =
    isGiven && document.uri.toString() === uri.toString()
      ? new vscode.Range(range.start.with({ character: 0 }), document.lineAt(range.end.line).range.end)
      : rangeOf(editor);
  return { document, range: chosen, question: questionFor(problemsIn(document, chosen)) };
}

/** Returns the path of a document relative to the project. Throws `refused` for a file outside the project. */
function pathIn(root: string, { uri }: vscode.TextDocument): string {
  const relative = path.relative(root, uri.fsPath);
  if (uri.scheme === 'file' && relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative))
    return relative.split(path.sep).join('/');
  throw new RoboSmithError('refused', vscode.l10n.t('You can only ask about files of this project.'));
}

function contextOf(document: vscode.TextDocument, range: vscode.Range) {
  const first = new vscode.Position(Math.max(0, range.start.line - CONTEXT_LINES), 0);
  const last = new vscode.Position(range.end.line + CONTEXT_LINES, 0);
  return {
    before: document.getText(new vscode.Range(first, range.start)),
    after: document.getText(document.validateRange(new vscode.Range(range.end, last))),
  };
}

/** Finds the selected text again in a document that may have changed. Returns null unless it occurs exactly once. */
function findAgain(document: vscode.TextDocument, range: vscode.Range, selection: string): vscode.Range | null {
  if (document.getText(range) === selection) return range;
  const text = document.getText();
  const at = text.indexOf(selection);
  if (selection === '' || at === -1 || text.includes(selection, at + 1)) return null;
  return new vscode.Range(document.positionAt(at), document.positionAt(at + selection.length));
}

/**
 * Replaces the selection in one edit, so that one undo restores the text. Throws `refused` if the selected text has
 * changed.
 */
async function apply({ document, range }: Target, selection: string, replacement: string): Promise<void> {
  const place = findAgain(document, range, selection);
  if (place === null)
    throw new RoboSmithError(
      'refused',
      vscode.l10n.t('The selected text has changed in the meantime; nothing was replaced.'),
    );
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, place, replacement);
  const isDone = await vscode.workspace.applyEdit(edit);
  if (!isDone) throw new RoboSmithError('refused', vscode.l10n.t('The editor did not apply the change.'));
  await vscode.window.showTextDocument(document);
}

/** Shows the proposed file in a diff with the current one, and applies it if the user says so there. */
async function propose({ texts, proposals }: QuickFixParts, target: Target, selection: string, replacement: string) {
  const { document, range } = target;
  const whole = document.getText();
  const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  const name = path.posix.basename(document.uri.path);
  const proposed = texts.create(name, 'proposal');
  texts.set(proposed, whole.slice(0, from) + replacement + whole.slice(to));
  const answer = proposals.ask(proposed);
  // A preview would be replaced, and so discarded, by the next file that the user opens.
  await vscode.commands.executeCommand(
    'vscode.diff',
    document.uri,
    proposed,
    vscode.l10n.t('{0} (proposed change)', name),
    { preview: false },
  );
  const isTaken = await answer;
  await texts.close(proposed);
  if (isTaken) await apply(target, selection, replacement);
}

/**
 * Sends the selection with the user's question to a model, streams the answer to an editor, and proposes the change.
 */
export async function quickFix(parts: QuickFixParts, given: readonly unknown[]): Promise<void> {
  const { root, link, texts } = parts;
  const target = targetOf(given);
  if (target === null)
    return void vscode.window.showInformationMessage(vscode.l10n.t('Open a file and select the code to ask about.'));
  const { document, range } = target;
  const file = pathIn(root, document);
  const selection = document.getText(range);
  const question = await vscode.window.showInputBox({
    title: vscode.l10n.t('Quick Fix with RoboSmith'),
    prompt: vscode.l10n.t('What should change in the selection?'),
    value: target.question,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a question.') : null),
  });
  if (question === undefined) return;
  await askTrust(link);
  const shown = texts.create('answer.md');
  await vscode.window.showTextDocument(shown, {
    viewColumn: vscode.ViewColumn.Beside,
    preview: true,
    preserveFocus: true,
  });
  const configured = vscode.workspace.getConfiguration('roboSmith').get('quickFixWorker', '');
  const worker = configured === '' ? null : configured;
  const reply = await streamAnswer(
    link,
    vscode.l10n.t('Asking the model…'),
    (text) => texts.add(shown, text),
    (client, stream) =>
      client.call('model.ask', {
        stream,
        question,
        path: file,
        selection,
        worker,
        ...contextOf(document, range),
      }),
  );
  if (!reply.ok) throw new RoboSmithError('ai_failed', reply.message, { call: reply.call });
  texts.set(shown, reply.text);
  const { replacement } = readProposal(reply.text, selection);
  if (replacement === null)
    return void vscode.window.showInformationMessage(vscode.l10n.t('The answer proposes no change.'));
  await propose(parts, target, selection, replacement);
  await texts.close(shown);
}
