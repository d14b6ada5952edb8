import * as vscode from 'vscode';
import type { Completion, Location, OutlineEntry, Position, Range, TextEdit } from '#language/index.ts';

const position = ({ line, character }: Position): vscode.Position => new vscode.Position(line, character);

export const toRange = ({ start, end }: Range): vscode.Range => new vscode.Range(position(start), position(end));

export const toLocation = (root: vscode.Uri, { file, range }: Location): vscode.Location =>
  new vscode.Location(vscode.Uri.joinPath(root, file), toRange(range));

/** Converts text edits to one workspace edit, which the user can undo in one step. */
export function toWorkspaceEdit(root: vscode.Uri, edits: readonly TextEdit[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { file, range, newText } of edits) edit.replace(vscode.Uri.joinPath(root, file), toRange(range), newText);
  return edit;
}

const KINDS: Readonly<Record<Completion['kind'], vscode.CompletionItemKind>> = {
  node: vscode.CompletionItemKind.Module,
  block: vscode.CompletionItemKind.Function,
  worker: vscode.CompletionItemKind.Class,
  value: vscode.CompletionItemKind.Value,
  key: vscode.CompletionItemKind.Property,
  action: vscode.CompletionItemKind.Event,
  signal: vscode.CompletionItemKind.Constant,
  condition: vscode.CompletionItemKind.Operator,
  file: vscode.CompletionItemKind.File,
  memory: vscode.CompletionItemKind.Variable,
};

/** Number of digits of `sortText`, which keeps the order of completions in VS Code's list. */
const SORT_DIGITS = 5;
/** A character that sorts before the quotation mark, with which the completions of VS Code's own JSON support begin. */
const FIRST = '!';

export function toCompletionItem(completion: Completion, index: number): vscode.CompletionItem {
  const { label, kind, detail, documentation, range, newText, filterText, isSnippet, continues } = completion;
  const item = new vscode.CompletionItem(label, KINDS[kind]);
  item.detail = detail;
  if (documentation !== '') item.documentation = new vscode.MarkdownString(documentation);
  item.range = toRange(range);
  item.insertText = isSnippet ? new vscode.SnippetString(newText) : newText;
  item.filterText = filterText;
  item.sortText = FIRST + String(index).padStart(SORT_DIGITS, '0');
  if (continues) item.command = { command: 'editor.action.triggerSuggest', title: '' };
  return item;
}

const SYMBOLS: Readonly<Record<OutlineEntry['kind'], vscode.SymbolKind>> = {
  node: vscode.SymbolKind.Module,
  block: vscode.SymbolKind.Function,
  worker: vscode.SymbolKind.Class,
  slice: vscode.SymbolKind.Array,
  pool: vscode.SymbolKind.Key,
  command: vscode.SymbolKind.Event,
};

export function toSymbol({ name, detail, kind, range, selection, children }: OutlineEntry): vscode.DocumentSymbol {
  const symbol = new vscode.DocumentSymbol(name, detail, SYMBOLS[kind], toRange(range), toRange(selection));
  symbol.children = children.map(toSymbol);
  return symbol;
}
