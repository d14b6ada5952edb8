import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ViewKind } from '#protocol/generated/view.gen.ts';

const TITLE: Readonly<Record<ViewKind, string>> = {
  'mission-control': 'Mission Control',
  chat: 'RoboSmith Chat',
  context: 'Context Inspector',
};

/**
 * Returns the HTML page of a view. Its content security policy allows the view's own files and one script with a nonce.
 */
export function viewPage(webview: vscode.Webview, views: vscode.Uri, kind: ViewKind): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(views, name)).toString();
  const own = webview.cspSource;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${own}`,
    `font-src ${own}`,
    `img-src ${own} data:`,
    ...["base-uri 'none'", "form-action 'none'"],
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE[kind]}</title>
<link rel="stylesheet" href="${file('view.css')}">
</head>
<body>
<div id="view" data-view="${kind}"></div>
<script type="module" nonce="${nonce}" src="${file('view.js')}"></script>
</body>
</html>
`;
}
