import path from 'node:path';

/** Paths of files that the extension package contains. */
export interface ProgramFiles {
  /** The script of the command line, which also serves as engine host. */
  readonly cli: string;
  /** Folder of the bundled webview pages (scripts, styles and fonts). */
  readonly views: string;
}

export const programFiles = (extensionFolder: string): ProgramFiles => ({
  cli: path.join(extensionFolder, 'dist', 'cli', 'main.js'),
  views: path.join(extensionFolder, 'dist', 'webview'),
});

/** Returns an environment in which VS Code's Electron executable runs as Node. */
export const asNode = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...environment,
  ELECTRON_RUN_AS_NODE: '1',
});
