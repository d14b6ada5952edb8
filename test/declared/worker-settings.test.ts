import { mkdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type CommandProject, commandProject } from './a-project.ts';

type Environment = Readonly<Record<string, string>>;

interface Ran {
  readonly reason: string | null;
  readonly path: readonly { readonly signal: string }[];
  readonly data: { readonly payload: readonly { readonly type: string; readonly content: string }[] };
}

let at: CommandProject;
afterEach(() => at.remove());

const node = (code: string): readonly string[] => [process.execPath, '-e', code];
const BASE = { kind: 'command', command: node('') };

/** Runs a block in the project's folder and returns the signal, and the type and text of the newest segment. */
async function ran(worker: object, block: object = {}, manifest: object = {}, environment: Environment = {}) {
  const files = {
    '.flow/.keep': '',
    '.vision/workflows.json': {
      version: 1,
      workers: { 'Worker:W': worker },
      nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:W', ...block } } } },
      ...manifest,
    },
  };
  at = commandProject(files, environment);
  mkdirSync(at.file('below'));
  const { out, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
  const { reason, path, data } = JSON.parse(out) as Ran;
  const last = data.payload.at(-1);
  return { reason, signal: path.at(-1)?.signal, type: last?.type, text: last?.content.trim(), err };
}

test.each<[string, object, object]>([
  ['command', { command: node('console.log("x")') }, { text: 'x' }],
  ['cwd', { command: node('console.log(require("path").basename(process.cwd()))'), cwd: 'below' }, { text: 'below' }],
  ['shell', { command: ['echo a && echo b'], shell: true }, { text: 'a\nb' }],
  ['signals', { command: node('process.exit(3)'), signals: { 3: 'SIGNAL:THREE' } }, { signal: 'SIGNAL:THREE' }],
  ['output_type', { command: node('console.log("x")'), output_type: 'NOTE' }, { type: 'NOTE' }],
  ['timeout_ms', { command: node('setInterval(() => {}, 1000)'), timeout_ms: 300 }, { reason: 'timeout' }],
])('%s of a command has its effect', async (_key, settings, expected) => {
  expect(await ran({ ...BASE, ...settings })).toMatchObject(expected);
});

test('version of a manifest: another one than 1 is refused', async () => {
  expect(await ran(BASE, {}, { version: 2 })).toMatchObject({ reason: 'invalid_graph' });
});

test('an argument of a command may be empty', async () => {
  const command = [...node('console.log(process.argv.length, JSON.stringify(process.argv.at(-1)))'), ''];
  expect(await ran({ ...BASE, command })).toMatchObject({ text: '2 ""' });
});

test('env of a command passes variables on, and only those', async () => {
  const command = node('console.log(process.env.MINE, process.env.OTHER)');
  const environment = { MINE: 'seen', OTHER: 'hidden' };
  expect(await ran({ ...BASE, command, env: ['MINE'] }, {}, {}, environment)).toMatchObject({ text: 'seen undefined' });
});

const ENDLESS = node('setInterval(() => {}, 1000)');

test.each<[string, object]>([
  ['evidence', { evidence: [{ command: ENDLESS, timeout_ms: 300 }] }],
  ['check', { check: { command: ENDLESS, attempts: 1, timeout_ms: 300 } }],
])('timeout_ms of %s ends a command, which then has not passed', async (_key, block) => {
  expect(await ran(BASE, block)).toMatchObject({ reason: 'evidence_failed' });
});

test('persona and params of a command are named as without effect', async () => {
  await ran({ ...BASE, persona: 'You are careful.', params: { temperature: 0 } });
  const { out, err } = await at.robosmith('validate');
  expect(out + err).toContain('persona of Worker:W');
  expect(out + err).toContain('params of Worker:W');
});

test('side_effects of a command decides whether a failed one is tried again', async () => {
  const again = { recovery: { timeout: [{ policy: 'retry', max_attempts: 2, delay_ms: 0 }] }, timeout_ms: 2_000 };
  const command = node('require("fs").appendFileSync("ran.txt", "x"); setInterval(() => {}, 1000)');
  await ran({ ...BASE, command }, again);
  expect(at.read('ran.txt')).toBe('x');
  await at.remove();
  await ran({ ...BASE, command, side_effects: 'idempotent' }, again);
  expect(at.read('ran.txt')).toBe('xx');
});
