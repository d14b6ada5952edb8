const CLASSES = ['vscode-dark', 'vscode-light', 'vscode-high-contrast', 'vscode-high-contrast-light'] as const;

/** Themes that the page's URL can request with `theme=…`. They override the system's preference. */
const ASKED: Readonly<Record<string, (typeof CLASSES)[number]>> = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'high-contrast': 'vscode-high-contrast',
  'high-contrast-light': 'vscode-high-contrast-light',
};

/**
 * Sets the theme class of the body that VS Code would set: the one that the URL requests, else the one that matches the
 * system's preference.
 */
export function chooseTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const choose = (): void => {
    const asked = ASKED[new URLSearchParams(location.search).get('theme') ?? ''];
    const preferred = `vscode-${contrast.matches ? 'high-contrast' : ''}${contrast.matches ? (dark.matches ? '' : '-light') : dark.matches ? 'dark' : 'light'}`;
    document.body.classList.remove(...CLASSES);
    document.body.classList.add(asked ?? preferred);
  };
  choose();
  for (const query of [dark, contrast]) query.addEventListener('change', choose);
}
