import * as vscode from 'vscode';

export const CALL_SCHEME = 'robosmith-call';

interface Entry {
  bytes: Uint8Array;
  changed: number;
}

/** Requests of logged calls as files that can be edited; they are in memory alone. */
export interface CallFiles {
  dispose(): void;
  /** Makes the file of a call, or returns the one that is there with what the person has changed. */
  open(call: string, request: string): vscode.Uri;
}

const missing = (uri: vscode.Uri): vscode.FileSystemError => vscode.FileSystemError.FileNotFound(uri);

/** Serves the files to the editor. */
export function createCallFiles(): CallFiles {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const files = new Map<string, Entry>();
  const at = (uri: vscode.Uri): Entry => {
    const found = files.get(uri.path);
    if (found === undefined) throw missing(uri);
    return found;
  };
  const refuse = (): never => {
    throw vscode.FileSystemError.NoPermissions();
  };
  const provider = vscode.workspace.registerFileSystemProvider(CALL_SCHEME, {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: (uri) => {
      const { bytes, changed: mtime } = at(uri);
      return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
    },
    readFile: (uri) => at(uri).bytes,
    writeFile: (uri, bytes) => {
      const file = at(uri);
      file.bytes = bytes;
      file.changed += 1;
      changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    },
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  });
  return {
    open: (call, request) => {
      const uri = vscode.Uri.from({ scheme: CALL_SCHEME, path: `/${call}.txt` });
      if (!files.has(uri.path)) files.set(uri.path, { bytes: new TextEncoder().encode(request), changed: 1 });
      return uri;
    },
    dispose: () => {
      provider.dispose();
      changed.dispose();
    },
  };
}
