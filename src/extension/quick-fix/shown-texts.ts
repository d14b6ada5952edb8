import * as vscode from 'vscode';

const SCHEME = 'robosmith-answer';

/**
 * Read-only documents in the editor that can grow while they are shown, such as a streamed answer. They are never
 * saved.
 */
export interface ShownTexts {
  dispose(): void;
  /** Creates an empty document with the given file name. */
  create(name: string): vscode.Uri;
  set(uri: vscode.Uri, text: string): void;
  add(uri: vscode.Uri, text: string): void;
  /** Closes the tabs that show a document, and deletes it. */
  close(uri: vscode.Uri): Promise<void>;
}

const shows = ({ input }: vscode.Tab, uri: vscode.Uri): boolean =>
  (input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()) ||
  (input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());

export function createShownTexts(): ShownTexts {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const texts = new Map<string, string>();
  let count = 0;
  const set = (uri: vscode.Uri, text: string): void => {
    texts.set(uri.toString(), text);
    changed.fire(uri);
  };
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  });
  return {
    create: (name) => {
      count += 1;
      return vscode.Uri.from({ scheme: SCHEME, path: `/${count}/${name}` });
    },
    set,
    add: (uri, text) => set(uri, (texts.get(uri.toString()) ?? '') + text),
    close: async (uri) => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter((tab) => shows(tab, uri)));
      await vscode.window.tabGroups.close(tabs);
      texts.delete(uri.toString());
    },
    dispose: () => {
      provider.dispose();
      changed.dispose();
    },
  };
}
