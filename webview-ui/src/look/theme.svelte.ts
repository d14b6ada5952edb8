/** Theme colours for drawing on canvases. */
export interface Palette {
  readonly page: string;
  readonly lane: string;
  readonly laneBorder: string;
  readonly stackBorder: string;
  readonly edge: string;
  readonly path: string;
  readonly text: string;
  readonly dim: string;
  readonly faint: string;
  readonly focus: string;
  readonly status: Readonly<Record<'active' | 'complete' | 'failed' | 'halted' | 'skipped', string>>;
  readonly font: string;
}

function readPalette(): Palette {
  const style = getComputedStyle(document.body);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    page: read('--page'),
    lane: read('--lane'),
    laneBorder: read('--lane-border'),
    stackBorder: read('--stack-border'),
    edge: read('--edge'),
    path: read('--path'),
    text: read('--text'),
    dim: read('--dim'),
    faint: read('--faint'),
    focus: read('--focus'),
    status: {
      active: read('--active'),
      complete: read('--complete'),
      failed: read('--failed'),
      halted: read('--failed'),
      skipped: read('--skipped'),
    },
    font: style.fontFamily,
  };
}

/** The colours and font size of VS Code's theme. They are updated when the theme changes. */
export class Theme {
  palette = $state.raw<Palette>(readPalette());
  /** The editor's font size, divided by 13 px. */
  font = $state(1);

  constructor() {
    const read = (): void => {
      this.palette = readPalette();
      this.font = (Number.parseFloat(getComputedStyle(document.body).fontSize) || 13) / 13;
    };
    read();
    const observer = new MutationObserver(read);
    observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'style', 'data-vscode-theme-id'] });
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
      matchMedia(query).addEventListener('change', read);
  }
}
