import type { ViewKind } from '../generated/view.gen.ts';

/** The data of a view's page. URLs are relative to the page, or absolute as `asWebviewUri` returns them. */
interface ViewPage {
  readonly view: ViewKind;
  readonly title: string;
  readonly script: string;
  /** The view's style sheet, and in a browser also the style sheet with the theme variables. */
  readonly styles: readonly string[];
  /** The CSP source of scripts, styles and fonts: `webview.cspSource`, or `'self'`. */
  readonly source: string;
  /** The CSP source that the page may connect to: `'none'`, or the address of the host's socket. */
  readonly connect: string;
  /** A random value, different for each page. */
  readonly nonce: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Returns the Content-Security-Policy of a view: it allows only the view's own files, no inline code and no `eval`. */
export const viewPolicy = ({ nonce, source, connect }: Pick<ViewPage, 'nonce' | 'source' | 'connect'>): string =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `connect-src ${connect}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');

/** Returns the HTML page of a view, for a VS Code webview or a browser. */
export function viewPage(page: ViewPage): string {
  const styles = page.styles.map((href) => `<link rel="stylesheet" href="${escape(href)}">`).join('\n    ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escape(viewPolicy(page))}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(page.title)}</title>
    ${styles}
  </head>
  <body>
    <div id="view" data-view="${page.view}"></div>
    <script type="module" nonce="${escape(page.nonce)}" src="${escape(page.script)}"></script>
  </body>
</html>
`;
}
