import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { ANSWERS, manifest, NODE, project, to, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const ROOT = { '.flow/.keep': '' };

const RUN = ['run', 'Main', '--in', '.', '--trust'];

const response = (text: string): Response => JSON.parse(text) as Response;

const one = (workers: object, worker: string, more: object = {}) => ({
  version: 1,
  workers,
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker, ...more } } } },
});

test('a scripted worker answers from the file that `answers` names, beside the manifest that declares it', async () => {
  verifies('manifest.shape.scripted-worker');
  const says = (content: string) => ({
    '*': [
      { signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: `${content} 1` }] },
      { text: `${content} 2\nSIGNAL:DONE` },
    ],
  });
  at = await project({
    ...ROOT,
    '.vision/workflows.json': {
      version: 1,
      imports: ['./lib/lib.json'],
      workers: { 'Worker:Near': { kind: 'scripted', answers: './answers.json' } },
      nodes: {
        Main: {
          entry_block: 'A',
          blocks: {
            A: { worker: 'Worker:Near', transitions: [to('SUCCESS', 'JUMP:A'), to('DONE', 'JUMP:B')] },
            B: { worker: 'Worker:Far' },
          },
        },
      },
    },
    '.vision/answers.json': says('near'),
    '.vision/lib/lib.json': { workers: { 'Worker:Far': { kind: 'scripted', answers: './answers.json' } } },
    '.vision/lib/answers.json': says('far'),
  });
  const { code, out } = await at.robosmith(...RUN, '--json');
  expect(code).toBe(0);
  expect(response(out).data.payload.map(({ type, content }) => [type, content])).toEqual([
    ['NOTE', 'near 1'],
    ['CODE_OUTPUT', 'near 2\nSIGNAL:DONE'],
    ['NOTE', 'far 1'],
  ]);
});

test('a command worker has its argv, its side effects and its table', async () => {
  verifies('manifest.shape.command-worker', 'workers.command.exit-codes', 'workers.command.cwd');
  const source = 'console.log(process.cwd(), process.argv.length); process.exitCode = 5';
  const definition = {
    kind: 'command',
    command: [NODE, '-e', source, 'a b', '$HOME', '*'],
    side_effects: 'idempotent',
    signals: { 0: 'SIGNAL:ZERO', 5: 'SIGNAL:FIVE', '*': 'SIGNAL:REST' },
  };
  at = await project({
    ...ROOT,
    '.vision/workflows.json': one({ 'Worker:C': definition }, 'Worker:C'),
    'work/x.txt': '',
  });
  const { code, out } = await at.robosmith('run', 'Main', '--in', 'work', '--trust', '--jsonl');
  expect(code).toBe(0);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RoboSmithEvent);
  expect(events.find(({ type }) => type === 'block.started')).toMatchObject({ side_effect_class: 'idempotent' });
  expect(events.find(({ type }) => type === 'block.finished')).toMatchObject({ signal: 'SIGNAL:FIVE' });
  const { data } = response((await at.robosmith('run', 'Main', '--in', 'work', '--json')).out);
  expect(data.payload.map(({ content }) => content)).toEqual([`${at.file('work')} 4\n`]);
});

describe('scripted answers', () => {
  const files = {
    ...ROOT,
    '.vision/workflows.json': manifest([NODE, '-e', '0']),
    '.vision/answers.json': ANSWERS,
    's.json': { Main__Test: [{ signal: 'SIGNAL:SUCCESS' }] },
  };

  const blockLines = (err: string): readonly string[] =>
    err
      .split('\n')
      .filter((line) => /^ +✓ /.test(line))
      .map((line) =>
        line
          .trim()
          .replaceAll(/\s{2,}/g, ' ')
          .replace(/ (?:\d+ms|[\d.]+s)(?: ·)?/, ''),
      );

  test('are marked, block by block; what is real is not', async () => {
    verifies('workers.scripted.marked');
    at = await project(files);
    const { err } = await at.robosmith(...RUN);
    expect(err).not.toContain('some answers are scripted');
    expect(blockLines(err)).toEqual(['✓ Make SUCCESS → Test scripted', '✓ Test SUCCESS → return']);
  });

  test('of --script are marked as well, and the head says so', async () => {
    verifies('workers.scripted.marked');
    at = await project(files);
    const { err } = await at.robosmith(...RUN, '--script', 's.json');
    expect(err.split('\n')[0]).toContain('some answers are scripted');
    expect(blockLines(err)).toEqual(['✓ Make SUCCESS → Test scripted', '✓ Test SUCCESS → return scripted']);
  });

  test('are all there is in a simulation, as its head says', async () => {
    verifies('workers.scripted.marked');
    at = await project(files);
    const { err } = await at.robosmith('simulate', 'Main', '--script', 's.json', '--answer', 'Main__Make=next');
    expect(err.split('\n')[0]).toContain('simulated, nothing is executed');
  });
});

describe('commands that the manifest does not name', () => {
  const without = { ...manifest([]), commands: {} };
  const scripts = (test: string) => ({ name: 'x', scripts: { test } });
  const files = { ...ROOT, '.vision/workflows.json': without, '.vision/answers.json': ANSWERS };
  const wrote = `"${NODE}" -e "require('fs').writeFileSync('ran', '')"`;

  test("are those of the project's own files", async () => {
    verifies('manifest.commands.detected');
    at = await project({ ...files, 'package.json': scripts(wrote) });
    const { code, out } = await at.robosmith(...RUN, '--json');
    expect([code, response(out).reason]).toEqual([0, null]);
    expect(await readdir(at.folder)).toContain('ran');
  });

  test('give way to those that it names', async () => {
    verifies('manifest.commands.detected');
    at = await project({
      ...files,
      '.vision/workflows.json': manifest([NODE, '-e', 'console.log("mine")']),
      'package.json': scripts(wrote),
    });
    const { out } = await at.robosmith(...RUN, '--json');
    expect(response(out).data.payload.at(-1)?.content).toBe('mine\n');
    expect(await readdir(at.folder)).not.toContain('ran');
  });

  test('are shown by doctor, with where they come from', async () => {
    verifies('manifest.commands.doctor');
    at = await project({
      ...files,
      '.vision/workflows.json': { ...without, commands: { lint: [NODE, '--check', 'x.js'] } },
      'package.json': { name: 'x', scripts: { test: 'node --test', lint: 'eslint .' } },
      Makefile: 'build:\n\ttrue\n',
    });
    const { out } = await at.robosmith('doctor', '--json');
    const { checks } = JSON.parse(out) as {
      readonly checks: readonly { readonly id: string; readonly message: string }[];
    };
    const messages = checks.filter(({ id }) => id === 'command').map(({ message }) => message);
    expect([...messages].sort()).toEqual([
      "build: make build (from the project's files)",
      `lint: ${NODE} --check x.js (from the manifest)`,
      "test: npm test (from the project's files)",
    ]);
  });
});
