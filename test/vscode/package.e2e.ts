import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultServer } from '../support/fault-server.ts';
import { readPackage } from './read-package.ts';
import { packaged } from './scene.ts';

const files = readPackage(packaged());
const scripts = [...files].flatMap(([name, bytes]) =>
  name.endsWith('.js') ? [{ name: name.replace(/^extension\//, ''), text: bytes.toString('utf8') }] : [],
);

const below = (folder: string) => scripts.filter(({ name }) => name.startsWith(folder));

/** Returns each script and the part of it that a pattern finds. */
const finds = (found: readonly (typeof scripts)[number][], pattern: RegExp): readonly string[] =>
  found.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([part]) => `${name}: ${part}`));

test('the package uses no telemetry of VS Code, and contains no client of a service that counts users', () => {
  expect(below('out/').length).toBeGreaterThan(5);
  expect(below('dist/cli/').length).toBeGreaterThan(50);
  const api = /createTelemetryLogger|TelemetryLogger|isTelemetryEnabled|onDidChangeTelemetryEnabled|sendTelemetry\w+/g;
  const services =
    /applicationinsights|vscode-extension-telemetry|sentry\.io|posthog|amplitude\.com|mixpanel|segment\.io/gi;
  expect([...finds(scripts, api), ...finds(scripts, services)]).toEqual([]);
  const manifest = files.get('extension/package.json')?.toString('utf8') ?? '';
  expect(manifest).toContain('"robo-smith-extension"');
  expect(manifest).not.toMatch(/aiKey|instrumentationKey|telemetry/i);
});

test('the extension itself reaches only the host on this machine, and a view only the page that it comes from', () => {
  const network =
    /\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|node:(?:https?|http2|dns|tls|dgram)|undici/g;
  expect(finds(below('out/'), network)).toEqual([]);
  expect(finds(below('out/'), /node:net\b/g).length).toBeGreaterThan(0);
  expect([...new Set(finds(below('dist/webview/'), network))].sort()).toEqual([
    'dist/webview/actors.js: WebSocket',
    'dist/webview/view.js: WebSocket',
  ]);
});

/** Hosts that requests are sent to without a setting that names them: those of the providers. */
const PROVIDERS = ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'];

/** Hosts that stand in texts only: names of schemas and formats, documents in messages, and examples. */
const IN_TEXTS = [
  ...['ai.google.dev', 'docs.cloud.google.com', 'google.aip.dev', 'youtu', 'github.com', 'raw.githubusercontent.com'],
  ...['json-schema.org', 'www.w3.org', 'www.eclipse.org', 'svelte.dev', 'rolldown.rs', 'stately.ai'],
  ...['host', 'hooks.example.com', 'localhost', '127.0.0.1', 'git-lfs.github.com'],
  // The usual endpoint of an agent's program, which is set in its environment so that no file can change it.
  'cloudcode-pa.googleapis.com',
];

const hostsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:https?|wss?):\/\/([A-Za-z0-9][A-Za-z0-9.-]*)/g)].map(([, host]) => host ?? '');

test('no address is in the package but those of the providers, and what stands in texts', () => {
  // The list of prices names the page that each price is from.
  const prices = globSync('node_modules/@pydantic/genai-prices/dist/*.{js,mjs,cjs}');
  const sources = new Set(prices.flatMap((file) => hostsIn(readFileSync(file, 'utf8'))));
  expect(sources.size).toBeGreaterThan(20);
  const found = new Set(scripts.flatMap(({ text }) => hostsIn(text)).filter((host) => !sources.has(host)));
  expect([...found].filter((host) => !IN_TEXTS.includes(host)).sort()).toEqual(
    PROVIDERS.filter((host) => !sources.has(host)),
  );
});

const CLI = path.resolve('dist', 'vsix', 'dist', 'cli', 'main.js');

test('the packaged program connects to nothing while it sets up, checks, simulates and runs a workflow', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-quiet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const project = path.join(folder, 'project');
  const log = path.join(folder, 'network.log');
  mkdirSync(project);
  execFileSync('git', ['init', '-q'], { cwd: project });
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    NETWORK_LOG: log,
    NODE_OPTIONS: `--require=${path.resolve('test/vscode/watch-network.cjs')}`,
  };
  const robosmith = (...args: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: project, env: environment, encoding: 'utf8' });
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: project, encoding: 'utf8' });
  expect(robosmith('init').status).toBe(0);
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
  expect(robosmith('validate').status).toBe(0);
  const run = robosmith('run', '--session', 'First', '--trust');
  expect(run.status, run.stdout + run.stderr).toBe(0);
  expect(robosmith('doctor', '--json').stdout).toContain('{');
  robosmith('host', 'stop', '--force');
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').toBe('');

  // The log works: a connection is in it.
  const server = await startFaultServer();
  onTestFinished(() => server.close());
  const address = server.url('says');
  const code = `await fetch(${JSON.stringify(address)}).catch(() => undefined);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env: environment });
  expect(readFileSync(log, 'utf8')).toContain(`:${new URL(address).port}`);
});
