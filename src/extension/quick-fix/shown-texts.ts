import * as vscode from 'vscode';

/** The scheme of a model's answers, and that of proposed files, whose editor has buttons of its own. */
const SCHEMES = { answer: 'robosmith-answer', proposal: 'robosmith-proposal' } as const;

/**
 * Read-only documents in the editor that can grow while they are shown, such as a streamed answer. They are never
 * saved.
 */
export interface ShownTexts {
  dispose(): void;
  /** Creates an empty document with the given file name. */
  create(name: string, kind?: keyof typeof SCHEMES): vscode.Uri;
  set(uri: vscode.Uri, text: string): void;
  add(uri: vscode.Uri, text: string): void;
  /** Closes the tabs that show a document, and deletes it. */
  close(uri: vscode.Uri): Promise<void>;
}

/** Returns whether a tab shows a document, alone or as the newer side of a comparison. */
export const shows = ({ input }: vscode.Tab, uri: vscode.Uri): boolean =>
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
  const providers = Object.values(SCHEMES).map((scheme) =>
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
    }),
  );
  return {
    create: (name, kind = 'answer') => {
      count += 1;
      return vscode.Uri.from({ scheme: SCHEMES[kind], path: `/${count}/${name}` });
    },
    set,
    add: (uri, text) => set(uri, (texts.get(uri.toString()) ?? '') + text),
    close: async (uri) => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter((tab) => shows(tab, uri)));
      await vscode.window.tabGroups.close(tabs);
      texts.delete(uri.toString());
    },
    dispose: () => {
      for (const provider of providers) provider.dispose();
      changed.dispose();
    },
  };
}
