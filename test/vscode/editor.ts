import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { installed } from './install.ts';

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
    if (answer?.ok === true) return;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`Nobody answers at ${address}.`);
}

/** Starts VS Code's server with the packaged extension for the user of the given folder. */
export async function startEditor(vsix: string, folder: string): Promise<Editor> {
  const { server, node } = installed();
  const data = path.join(folder, 'data');
  const extensions = path.join(folder, 'extensions');
  for (const one of [path.join(data, 'data', 'User'), extensions]) mkdirSync(one, { recursive: true });
  writeFileSync(path.join(data, 'data', 'User', 'settings.json'), JSON.stringify(SETTINGS));
  const own = ['--server-data-dir', data, '--extensions-dir', extensions];
  const environment = {
    ...userEnvironment(folder),
    PATH: `${path.dirname(node)}:${process.env['PATH'] ?? ''}`,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
  };
  execFileSync(node, [server, '--install-extension', vsix, ...own], { env: environment, stdio: 'ignore' });
  const port = await freePort();
  const log = openSync(path.join(folder, 'server.log'), 'a');
  const args = [
    ...[server, '--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
    ...['--accept-server-license-terms', '--telemetry-level', 'off', ...own],
    ...['--reconnection-grace-time', '2', '--enable-smoke-test-driver'],
  ];
  const child = spawn(node, args, {
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
