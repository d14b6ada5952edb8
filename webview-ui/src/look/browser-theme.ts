const CLASSES = ['vscode-dark', 'vscode-light', 'vscode-high-contrast', 'vscode-high-contrast-light'] as const;

/** A theme of the page's address (`theme=light`) wins over the system's. */
const ASKED: Readonly<Record<string, (typeof CLASSES)[number]>> = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'high-contrast': 'vscode-high-contrast',
  'high-contrast-light': 'vscode-high-contrast-light',
};

/** Gives the body the class that VS Code gives it: of the page's address, or as the system prefers. */
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
