import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import { createInspectionRelay, followInspection } from '#host/inspector/index.ts';

interface InspectorParts {
  readonly link: HostLink;
  /** Folder of the bundled webview pages (scripts, styles and fonts). */
  readonly folder: vscode.Uri;
  readonly log: (message: string) => void;
}

function page(webview: vscode.Webview, folder: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    ...["base-uri 'none'", "form-action 'none'"],
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Inspector</title>
<link rel="stylesheet" href="${file('actors.css')}">
</head>
<body>
<div id="view"></div>
<script type="module" nonce="${nonce}" src="${file('actors.js')}"></script>
</body>
</html>
`;
}

/**
 * Returns a command that shows the engine's live XState actors in a panel. The host sends inspection events only while
 * the panel is open.
 */
export function createInspectorPanel({ link, folder, log }: InspectorParts): () => void {
  let panel: vscode.WebviewPanel | null = null;
  const open = (): vscode.WebviewPanel => {
    const opened = vscode.window.createWebviewPanel('roboSmith.inspector', 'Inspector', vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [folder],
      retainContextWhenHidden: true,
    });
    const relay = createInspectionRelay({ now: () => Date.now(), onEvent: () => undefined, log });
    const stop = followInspection({ link, open: relay.open, log });
    let attended: { readonly end: () => void } | null = null;
    // The page sends a message when it is ready to receive, initially and after each reload.
    opened.webview.onDidReceiveMessage(() => {
      attended?.end();
      attended = relay.attendPage((message) => void opened.webview.postMessage(message));
    });
    opened.webview.html = page(opened.webview, folder);
    opened.onDidDispose(() => {
      attended?.end();
      stop();
      panel = null;
    });
    return opened;
  };
  return () => {
    if (panel === null) panel = open();
    else panel.reveal();
  };
}
