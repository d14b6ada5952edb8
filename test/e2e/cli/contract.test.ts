import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { gitProject } from './git-project.ts';
import { ANSWERS, manifest, NODE, project, to, type Project } from './robosmith.ts';

const read = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8')) as object;

const ajv = new Ajv({ allErrors: true, strict: false });
ajv.addSchema(read('response.schema.json'), 'response.schema.json');
const eventLine = ajv.compile(read('event-line.schema.json'));
const documentOf = (name: string): ValidateFunction =>
  ajv.compile({ $ref: `response.schema.json#/definitions/${name}` });

const FORKS = {
  ...manifest([NODE, '-e', 'process.exit(1)']),
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: {
          worker: 'Worker:A',
          recovery: {
            '*': [
              { policy: 'retry', max_attempts: 2 },
              { policy: 'repair', worker: 'Worker:B' },
            ],
          },
          transitions: [to('SUCCESS', 'FORK:Sub,Sub:B'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        B: {
          worker: 'Internal:TestRunner',
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
    Sub: { entry_block: 'A', blocks: { A: { worker: 'Worker:A' } } },
  },
  workers: {
    'Worker:A': { kind: 'scripted', answers: './answers.json' },
    'Worker:B': { kind: 'scripted', answers: './answers.json' },
  },
};

const SCRIPT = {
  Main__A: [{ error: 'boom' }, { error: 'boom' }, { signal: 'SIGNAL:SUCCESS', exports: { 'a.b': 1, 'system.x': 1 } }],
  'Worker:B': [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'NOTE', content: 'try again' }] }],
  Sub__A: [{ signal: 'SIGNAL:SUCCESS' }],
};

let at: Project;
beforeEach(async () => {
  at = await project({
    '.vision/workflows.json': FORKS,
    '.vision/answers.json': ANSWERS,
    '.flow/.keep': '',
    's.json': SCRIPT,
    'answers.json': ANSWERS,
    'wrong.json': { version: 1 },
    'b.json': { ...FORKS, max_depth: 3 },
  });
});
afterEach(() => at.remove());

test.each([
  ['response', ['run', 'Main', '--in', '.', '--trust', '--script', 's.json']],
  ['response', ['run', 'Main', '--in', '.', '--trust', '--script', 's.json', '--answer', 'Main__B=next']],
  ['response', ['run', 'Main', '--in', '.']],
  ['response', ['run', 'None', '--in', '.']],
  ['response', ['run', 'Main', '--in', '.', '--manifest', 'wrong.json']],
  ['response', ['simulate', 'Main', '--script', 's.json']],
  ['failure', ['run', 'Main']],
  ['failure', ['simulate', 'Main', '--script', 'none.json']],
  ['failure', ['validate', '--bogus']],
  ['validation', ['validate']],
  ['validation', ['validate', '--manifest', 'wrong.json']],
  ['outline', ['manifest', 'show']],
  ['comparison', ['diff', '.vision/workflows.json', 'b.json']],
  ['initialised', ['init']],
  ['examination', ['doctor']],
  ['keyList', ['keys']],
  ['keyList', ['keys', 'list']],
  ['keysChanged', ['keys', 'order']],
  ['keysTested', ['keys', 'test']],
  ['failure', ['keys', 'remove', 'nobody']],
  ['registry', ['registry', 'check']],
])('%s: %j --json', async (name, args) => {
  verifies(
    'cli.json.schema',
    'cli.json.one-document',
    'cli.response.fields',
    'cli.response.metadata',
    'cli.response.path-entry',
    'cli.validate.json',
  );
  const { out } = await at.robosmith(...args, '--json');
  const check = documentOf(name);
  expect(check(JSON.parse(out)), JSON.stringify(check.errors, null, 1)).toBe(true);
});

test('documents about runs', async () => {
  verifies('cli.json.schema', 'cli.json.one-document', 'cli.runs', 'cli.inbox', 'cli.resume');
  const { out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--script', 's.json', '--json');
  const run = (JSON.parse(out) as Response).metadata.run_id ?? '';
  for (const [name, args] of [
    ['runList', ['runs']],
    ['runStory', ['runs', 'show', run]],
    ['runEvents', ['runs', 'events', run]],
    ['replay', ['runs', 'replay', run]],
    ['replay', ['runs', 'replay', run, '--manifest', 'b.json']],
    ['forked', ['runs', 'fork', `${run}@2`, '--no-start']],
    ['controlled', ['runs', 'stop', run]],
    ['pruned', ['runs', 'prune', '--keep', '0', '--dry-run']],
    ['inbox', ['inbox']],
    ['noticeSettings', ['notify', '--webhook', 'http://127.0.0.1:9/secret']],
    ['resumed', ['resume', '--due']],
    ['failure', ['runs', 'show', 'none']],
    ['response', ['resume', run, '--retry']],
    ['response', ['resume', run, '--halt', 'h2', '--next']],
    ['failure', ['resume', run]],
    ['runStory', ['runs', 'show', run]],
    ['runList', ['runs']],
  ] as const) {
    const said = await at.robosmith(...args, '--json');
    const check = documentOf(name);
    expect(check(JSON.parse(said.out)), `${args.join(' ')}\n${JSON.stringify(check.errors, null, 1)}`).toBe(true);
  }
});

test('documents about sessions and worktrees', async () => {
  verifies('cli.json.schema', 'cli.json.one-document', 'cli.status');
  const here = await gitProject();
  try {
    const { id } = await here.session('Fix the login', '--plan', 'src/**');
    for (const [name, args] of [
      ['sessionChanged', ['sessions', 'new', 'Rework it', '--plan', 'src/a', '--priority', '1']],
      ['sessionChanged', ['sessions', 'change', id, '--priority', '2']],
      ['sessionList', ['sessions']],
      ['sessionStory', ['sessions', 'show', id]],
      ['projectStatus', ['status', '--disk']],
      ['worktreesFound', ['worktrees']],
      ['sessionChanged', ['sessions', 'hold', id]],
      ['sessionChanged', ['sessions', 'discard', id, '--force']],
      ['worktreesCleaned', ['worktrees', 'clean', '--yes']],
      ['failure', ['sessions', 'show', 'none']],
    ] as const) {
      const { out, err } = await here.robosmith(...args, '--json');
      const check = documentOf(name);
      expect(check(JSON.parse(out)), `${args.join(' ')}\n${err}\n${JSON.stringify(check.errors, null, 1)}`).toBe(true);
    }
  } finally {
    await here.remove();
  }
});

test('every line of --jsonl', async () => {
  verifies('cli.json.schema', 'cli.jsonl.events');
  const seen = new Set<string>();
  for (const more of [
    ['--answer', 'Main__B=retry', '--answer', 'Main__B=abort'],
    ['--answer', 'Main__B=next'],
  ]) {
    const { out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--script', 's.json', '--jsonl', ...more);
    const { out: logged } = await at.robosmith(
      'runs',
      'events',
      (JSON.parse(out.split('\n', 1)[0] ?? '') as RoboSmithEvent).run_id,
    );
    expect(logged).toBe(out);
    for (const line of out.trimEnd().split('\n')) {
      const event = JSON.parse(line) as RoboSmithEvent;
      seen.add(event.type);
      expect(
        eventLine(event),
        `${line}\n${JSON.stringify(eventLine.errors?.filter(({ keyword }) => keyword !== 'const'))}`,
      ).toBe(true);
    }
  }
  expect([...seen].sort()).toEqual([
    'block.answered',
    'block.entered',
    'block.failed',
    'block.finished',
    'block.halted',
    'block.started',
    'exports.refused',
    'fork.joined',
    'fork.opened',
    'memory.assembled',
    'node.entered',
    'node.left',
    'recovery.repair',
    'recovery.retry',
    'run.finished',
    'run.halted',
    'run.resumed',
    'run.started',
    'transition.taken',
  ]);
});
