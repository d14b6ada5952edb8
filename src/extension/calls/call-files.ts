import * as vscode from 'vscode';

export const CALL_SCHEME = 'robosmith-call';

interface Entry {
  bytes: Uint8Array;
  changed: number;
}

/** An in-memory file system with the requests of logged model calls as editable files. Nothing is written to disk. */
export interface CallFiles {
  dispose(): void;
  /** Creates the file of a call. If it exists, returns it with the user's edits. */
  open(call: string, request: string): vscode.Uri;
}

const missing = (uri: vscode.Uri): vscode.FileSystemError => vscode.FileSystemError.FileNotFound(uri);

/** Registers the in-memory file system with VS Code. */
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
