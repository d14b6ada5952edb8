import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { installed, type Installed } from './install.ts';

const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.editor.useModal': 'off',
  'remote.autoForwardPorts': false,
  'files.hotExit': 'off',
  'terminal.integrated.gpuAcceleration': 'off',
  'editor.accessibilitySupport': 'off',
};

const TRIES = 200;
const PAUSE_MS = 100;

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  server.listen(0, '127.0.0.1', () => resolve(undefined));
  await promise;
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A VS Code server with the packaged extension. */
export interface Editor {
  readonly address: string;
  stop(): void;
}

/** Creates a folder that contains an empty home of a user. */
export function makeUserFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-vscode-'));
  mkdirSync(path.join(folder, 'home'));
  writeFileSync(
    path.join(folder, 'home', '.gitconfig'),
    '[user]\n  name = Test\n  email = test@localhost\n[init]\n  defaultBranch = main\n',
  );
  return folder;
}

/** Removes a user folder, unless `ROBOSMITH_KEEP` is set. */
export function removeUserFolder(folder: string): void {
  if (process.env['ROBOSMITH_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns the environment of a user whose home is in the given folder. */
export const userEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: path.join(folder, 'home'),
  ROBOSMITH_CONFIG_DIR: path.join(folder, 'home', 'robosmith'),
  XDG_CONFIG_HOME: path.join(folder, 'home', '.config'),
  GIT_CONFIG_GLOBAL: path.join(folder, 'home', '.gitconfig'),
});

async function untilServes(address: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (child.exitCode !== null) throw new Error(`The server has ended with ${child.exitCode}.`);
    const answer = await fetch(`${address}/version`).catch(() => null);
    // code-server does not have this address, but it responds as soon as it serves. Any response is therefore enough.
    if (answer !== null) return;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`Nobody answers at ${address}.`);
}

/** Options that differ from the server of most tests. */
export interface EditorOptions {
  /** Settings of the user that override those of all tests. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** False if the user installs the extension later. */
  readonly isInstalled?: boolean;
  /**
   * True selects code-server, whose SecretStorage survives a reload of the window. VS Code's own server keeps secrets
   * only in the memory of the page.
   */
  readonly keepsSecrets?: boolean;
  /** Additional environment variables of the server, its extensions and its terminals. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** The arguments that specify the server program and its folders, and those with which it serves. */
interface ServerArguments {
  readonly own: readonly string[];
  readonly serve: (port: number) => readonly string[];
  /** The folder of the user's settings. */
  readonly settings: string;
}

/** Returns the arguments of VS Code's own server. */
function plainServer({ server }: Installed, folder: string, extensions: string): ServerArguments {
  const data = path.join(folder, 'data');
  return {
    settings: path.join(data, 'data', 'User'),
    own: [server, '--server-data-dir', data, '--extensions-dir', extensions],
    serve: (port) => [
      ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off'],
      ...['--reconnection-grace-time', '2', '--enable-smoke-test-driver'],
    ],
  };
}

/** Returns the arguments of code-server, which stores the key that encrypts the secrets in a file. */
function keepingServer({ codeServer }: Installed, folder: string, extensions: string): ServerArguments {
  const data = path.join(folder, 'data');
  return {
    settings: path.join(data, 'User'),
    own: [
      ...[codeServer, '--config', path.join(folder, 'config.yaml')],
      ...['--user-data-dir', data, '--extensions-dir', extensions],
    ],
    serve: (port) => [
      ...['--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check'],
      ...['--disable-workspace-trust', '--disable-getting-started-override', '--reconnection-grace-time', '2'],
      ...['--vscode-option', 'enable-smoke-test-driver'],
    ],
  };
}

/** Starts VS Code's server with the packaged extension for the user of the given folder. */
export async function startEditor(vsix: string, folder: string, options: EditorOptions = {}): Promise<Editor> {
  const found = installed();
  const { node } = found;
  const extensions = path.join(folder, 'extensions');
  const { own, serve, settings } = (options.keepsSecrets === true ? keepingServer : plainServer)(
    found,
    folder,
    extensions,
  );
  for (const one of [settings, extensions]) mkdirSync(one, { recursive: true });
  writeFileSync(path.join(settings, 'settings.json'), JSON.stringify({ ...SETTINGS, ...options.settings }));
  const environment = {
    ...userEnvironment(folder),
    PATH: `${path.dirname(node)}:${process.env['PATH'] ?? ''}`,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...options.environment,
  };
  if (options.isInstalled !== false)
    execFileSync(node, [...own, '--install-extension', vsix], { env: environment, stdio: 'ignore' });
  const port = await freePort();
  const log = openSync(path.join(folder, 'server.log'), 'a');
  const child = spawn(node, [...own, ...serve(port)], {
    detached: true,
    env: environment,
    stdio: ['ignore', log, log],
  });
  const address = `http://127.0.0.1:${port}`;
  await untilServes(address, child);
  return {
    address,
    stop: () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    },
  };
}
