const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0) ?? 0};`);

/**
 * Returns the page's content security policy. It allows the page's own files, its own socket, and the one script with
 * the nonce.
 */
export const contentPolicy = (nonce: string, socket: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    ...["style-src 'self'", "font-src 'self'", "img-src 'self' data:", `connect-src 'self' ${socket}`],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');

/** The icon of the extension (`media/icon.svg`), reduced to its boxes, for the browser's tab. */
const ICON = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256"><rect width="256" height="256" rx="48" fill="#1b2430"/>',
  '<path d="M68 84h52v44h68M68 128v52h120" fill="none" stroke="#5aa9ff" stroke-width="12"/>',
  '<rect x="40" y="56" width="56" height="56" rx="14" fill="#57c97a"/>',
  '<rect x="160" y="100" width="56" height="56" rx="14" fill="#f2b84b"/>',
  '<rect x="160" y="152" width="56" height="56" rx="14" fill="#6b7a8d"/></svg>',
].join('');

interface Page {
  /** The title of the window. */
  readonly title: string;
  /** The name of the script and of the style sheet. */
  readonly bundle: 'view' | 'actors';
  readonly nonce: string;
}

/** Returns a page that shows a view in a browser. */
const viewPage = ({ title, bundle, nonce }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="themes.css">
<link rel="stylesheet" href="${bundle}.css">
</head>
<body>
<div id="view" data-view="mission-control"></div>
<script type="module" nonce="${nonce}" src="${bundle}.js"></script>
</body>
</html>
`;

/** Returns the page that shows Mission Control in a browser. */
export const uiPage = (project: string, nonce: string): string =>
  viewPage({ title: `${project} - RoboSmith`, bundle: 'view', nonce });

/** Returns the page that shows live or recorded actors in a browser. */
export const actorsPage = (subject: string, nonce: string): string =>
  viewPage({ title: `${subject} - RoboSmith inspector`, bundle: 'actors', nonce });

/** Returns the page for an address without the right token. */
export const noTokenPage = (): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>RoboSmith</title></head>
<body><h1>The address lacks its token</h1><p>Open the address that <code>robosmith ui</code> printed.</p></body>
</html>
`;
