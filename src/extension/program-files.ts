import path from 'node:path';

/** Where the files are that the extension brings. */
export interface ProgramFiles {
  /** The command line, which also is the engine host. */
  readonly cli: string;
  /** Folder of the views. */
  readonly views: string;
}

export const programFiles = (extensionFolder: string): ProgramFiles => ({
  cli: path.join(extensionFolder, 'dist', 'cli', 'main.js'),
  views: path.join(extensionFolder, 'dist', 'webview'),
});

/** The environment in which VS Code's own program runs as Node. */
export const asNode = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...environment,
  ELECTRON_RUN_AS_NODE: '1',
});
