import { readdir, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { NODE, project, to, type Project } from './robosmith.ts';
import { verifies } from '../verifies.ts';

const GIT = `export class Git {
  sideEffects = 'idempotent';
  async execute({ system }, { progress }) {
    progress('working');
    return { signal: 'SIGNAL:SUCCESS', append: [{ type: 'GIT', content: system.block }] };
  }
}
export const Unsafe = { sideEffects: 'non_idempotent', execute() {} };
`;

const using = (...workers: readonly string[]) => ({
  version: 1,
  entry: 'Main',
  commands: { test: [NODE, '-e', '0'] },
  workers: workers.includes('Worker:Git') ? { 'Worker:Git': { kind: 'module', module: 'git' } } : {},
  nodes: {
    Main: {
      entry_block: 'B0',
      blocks: Object.fromEntries(
        workers.map((worker, index) => {
          const action = index === workers.length - 1 ? 'RETURN' : `JUMP:B${index + 1}`;
          return [`B${index}`, { worker, transitions: [to('SUCCESS', action), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] }];
        }),
      ),
    },
  },
});

const REGISTRY = {
  git: './workers/git.mjs#Git',
  unsafe: './workers/git.mjs#Unsafe',
  throws: './workers/throws.mjs#W',
};

let at: Project;
beforeEach(async () => {
  at = await project({
    '.vision/workflows.json': using('git', 'Worker:Git'),
    '.flow/flow.registry.json': REGISTRY,
    'workers/git.mjs': GIT,
    'workers/throws.mjs': `import { writeFileSync } from 'node:fs';
writeFileSync(import.meta.dirname + '/imported', '');
throw new Error('boom');`,
  });
});
afterEach(() => at.remove());

const write = (name: string, content: unknown): Promise<void> =>
  writeFile(at.file(name), typeof content === 'string' ? content : JSON.stringify(content));

const responseOf = (out: string): Response => JSON.parse(out) as Response;

const UNSAFE =
  '"Unsafe" is not a worker: its sideEffects are neither "none" nor "idempotent", so it needs a function checkCompletion, which is asked after a crash whether its work was done';

describe('registry check', () => {
  test('imports nothing before the project is trusted', async () => {
    const { code, out, err } = await at.robosmith('registry', 'check');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^ {2}1\. \.\/workers\/git\.mjs#Git \(sha256 [0-9a-f]{12}\) {2}module of git$/m);
    expect(err).toContain('not_trusted  Nothing was loaded: this project has its own modules and is not trusted yet.');
    expect(await readdir(at.file('workers'))).not.toContain('imported');
    const json = await at.robosmith('registry', 'check', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, error: { code: 'not_trusted' } });
  });

  test('shows every worker, with what breaks it', async () => {
    verifies('cli.registry-check');
    const { code, out } = await at.robosmith('registry', 'check', '--trust');
    expect(code).toBe(2);
    expect(out).toBe(
      [
        'git     ./workers/git.mjs#Git     READY',
        `unsafe  ./workers/git.mjs#Unsafe  BROKEN  ${UNSAFE}`,
        'throws  ./workers/throws.mjs#W    BROKEN  it cannot be loaded: boom (line 3)',
        '',
        '1 ready, 2 broken.',
        '',
      ].join('\n'),
    );
    const json = await at.robosmith('registry', 'check', '--json');
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toEqual({
      ok: false,
      workers: [
        { name: 'git', target: './workers/git.mjs#Git', status: 'ready', problem: null },
        { name: 'unsafe', target: './workers/git.mjs#Unsafe', status: 'broken', problem: UNSAFE },
        {
          name: 'throws',
          target: './workers/throws.mjs#W',
          status: 'broken',
          problem: 'it cannot be loaded: boom (line 3)',
        },
      ],
      problem: null,
    });
  });

  test('a changed module is asked about again', async () => {
    await write('.flow/flow.registry.json', { git: './workers/git.mjs#Git' });
    expect((await at.robosmith('registry', 'check', '--trust')).code).toBe(0);
    expect((await at.robosmith('registry', 'check')).code).toBe(0);
    await write('workers/git.mjs', `${GIT}// changed`);
    expect((await at.robosmith('registry', 'check')).err).toContain('not_trusted');
  });

  test('without modules there is nothing to trust', async () => {
    await write('.flow/flow.registry.json', '{}');
    expect(await at.robosmith('registry', 'check')).toEqual({
      code: 0,
      out: '\nThe registry is empty, so no worker is available.\n',
      err: '',
    });
    await rm(at.file('.flow/flow.registry.json'));
    const { code, out } = await at.robosmith('registry', 'check');
    expect(code).toBe(0);
    expect(out).toMatch(/^Internal:TestRunner {11}builtin:TestRunner {11}READY$/m);
    expect(out).toContain('There is no .flow/flow.registry.json, so only the built-in workers are available.');
  });

  test('an error of the file is told with its place', async () => {
    await write(
      '.flow/flow.registry.json',
      '{\n  "git": "./workers/git.mjs#Git",\n  "git": "./workers/git.mjs#Git"\n}',
    );
    const { code, err } = await at.robosmith('registry', 'check');
    expect(code).toBe(2);
    expect(err).toContain(
      'registry_duplicate_key  .flow/flow.registry.json:3:3: The key "git" is written twice in one object. Remove or rename one of the two.',
    );
    const json = await at.robosmith('registry', 'check', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      workers: [],
      problem: { code: 'registry_duplicate_key', line: 3, column: 3 },
    });
  });

  test('without .flow/ there is no registry', async () => {
    await rm(at.file('.flow'), { recursive: true });
    const { code, out } = await at.robosmith('registry', 'check', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      error: { code: 'root_not_found', next: ['robosmith init'] },
    });
  });
});

describe('a run', () => {
  test('executes workers of the registry, under their own names and those of the manifest', async () => {
    const { code, out } = await at.robosmith('run', '--in', '.', '--trust', '--json');
    expect(code).toBe(0);
    expect(responseOf(out).data.payload.map(({ type, content }) => [type, content])).toEqual([
      ['GIT', 'Main__B0'],
      ['GIT', 'Main__B1'],
    ]);
    expect(await readdir(at.file('workers'))).not.toContain('imported');
  });

  test('is not started with a broken worker that it uses', async () => {
    await write('.vision/workflows.json', using('git', 'throws', 'unsafe'));
    const { code, out, err } = await at.robosmith('run', '--in', '.', '--trust', '--json');
    expect(code).toBe(2);
    const { reason, details } = responseOf(out);
    const first = {
      code: 'registry_module_broken',
      message:
        'The worker "throws" of Main__B1 is broken, ./workers/throws.mjs#W: it cannot be loaded: boom (line 3). Correct the module.',
      file: '.flow/flow.registry.json',
      line: 4,
      column: 13,
      next: ['robosmith registry check'],
    };
    expect([reason, { ...details, problems: null }]).toEqual(['registry_error', { ...first, problems: null }]);
    expect(details['problems']).toMatchObject([first, { code: 'registry_module_broken', line: 3 }]);
    expect(err).toContain('registry_error  The worker "throws" of Main__B1 is broken');
    expect(err).toContain('.flow/flow.registry.json:4:13');
  });

  test('is not started with a built-in worker that the registry does not list', async () => {
    await write('.vision/workflows.json', using('Internal:TestRunner'));
    await write('.flow/flow.registry.json', '{}');
    const { code, out } = await at.robosmith('run', '--in', '.', '--trust', '--json');
    expect([code, responseOf(out).reason, responseOf(out).details]).toEqual([
      2,
      'registry_error',
      {
        code: 'registry_not_listed',
        message:
          '.flow/flow.registry.json does not list the worker "Internal:TestRunner", which Main__B0 uses. Add "Internal:TestRunner": "builtin:TestRunner" to it.',
        file: '.flow/flow.registry.json',
        line: 1,
        column: 1,
        next: ['robosmith registry check'],
      },
    ]);
    await write('.flow/flow.registry.json', { 'Internal:TestRunner': 'builtin:TestRunner' });
    expect((await at.robosmith('run', '--in', '.', '--trust')).code).toBe(0);
    await rm(at.file('.flow/flow.registry.json'));
    expect((await at.robosmith('run', '--in', '.', '--trust')).code).toBe(0);
  });

  test('is not started, and asks nothing, when the registry has an error', async () => {
    await write('.flow/flow.registry.json', '["git"]');
    const { code, out, err } = await at.robosmith('run', '--in', '.', '--json');
    expect([code, responseOf(out).reason]).toEqual([2, 'registry_error']);
    expect(responseOf(out).details).toMatchObject({ code: 'registry_not_an_object', line: 1, column: 1 });
    expect(err).not.toContain('wants to run');
    const doctor = await at.robosmith('doctor');
    expect([doctor.code, doctor.out]).toEqual([
      1,
      expect.stringContaining('fail  .flow/flow.registry.json:1:1 is wrong'),
    ]);
  });

  test('a block under another name still tells which command it runs', async () => {
    await write('.vision/workflows.json', using('tests'));
    await write('.flow/flow.registry.json', { tests: 'builtin:TestRunner' });
    const { err } = await at.robosmith('run', '--in', '.');
    expect(err).toContain('not_trusted');
    expect((await at.robosmith('run', '--in', '.', '--trust')).code).toBe(0);
  });
});
