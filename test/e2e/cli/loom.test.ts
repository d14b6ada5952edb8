import { readdir, readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { PROGRAM, project, to, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const ajv = new Ajv({ strict: false });
ajv.addSchema(
  JSON.parse(readFileSync(new URL('../../../schemas/response.schema.json', import.meta.url), 'utf8')) as object,
  'response.schema.json',
);
const fits = (name: string, document: unknown): boolean =>
  ajv.validate({ $ref: `response.schema.json#/definitions/${name}` }, document);

const text = (name: string): Promise<string> => readFile(at.file(name), 'utf8');

const OPERATIONS = [
  { op: 'insert', path: 'src/a.ts', anchor: 'import a;', content: 'import b;' },
  { op: 'append', path: 'docs/new.md', content: '# New\n' },
];
const A = 'import a;\r\nrun();\r\n';

test('loom apply edits files of the directory, all or none, and again without any change', async () => {
  verifies('cli.loom-apply', 'workers.loom.operations', 'workers.loom.idempotent');
  at = await project({ 'ops.json': OPERATIONS, 'src/a.ts': A });
  const first = await at.robosmith('loom', 'apply', 'ops.json', '--json');
  expect(first.code).toBe(0);
  const document = JSON.parse(first.out) as unknown;
  expect(fits('edited', document)).toBe(true);
  expect(document).toEqual({
    ok: true,
    dry_run: false,
    diff: null,
    files: [
      { path: 'src/a.ts', status: 'edited', edits: 1, already_there: 0 },
      { path: 'docs/new.md', status: 'created', edits: 1, already_there: 0 },
    ],
  });
  expect(await text('src/a.ts')).toBe('import a;\r\nimport b;\r\nrun();\r\n');
  const second = await at.robosmith('loom', 'apply', 'ops.json');
  expect([second.code, second.out, second.err]).toEqual([
    0,
    '',
    '✓ src/a.ts: 1 already there\n✓ docs/new.md: 1 already there\n',
  ]);
  expect((await readdir(at.folder)).sort()).toEqual(['docs', 'ops.json', 'src', 'x.txt']);
});

test('--dry-run writes nothing and prints a diff that git applies to the same end', async () => {
  verifies('cli.loom-apply');
  at = await project({ 'answer.md': `Here:\n\`\`\`json\n${JSON.stringify(OPERATIONS)}\n\`\`\`\n`, 'src/a.ts': A });
  const dry = await at.robosmith('loom', 'apply', 'answer.md', '--dry-run');
  expect([dry.code, dry.err]).toEqual([0, '✓ src/a.ts: 1 to be made\n✓ docs/new.md: new, 1 to be made\n']);
  expect(dry.out).toBe(
    [
      '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n import a;\r\n+import b;\r\n run();\r\n',
      '--- /dev/null\n+++ b/docs/new.md\n@@ -0,0 +1,1 @@\n+# New\n',
    ].join(''),
  );
  expect(await text('src/a.ts')).toBe(A);
  execFileSync('git', ['apply', '-'], { cwd: at.folder, input: dry.out });
  expect([await text('src/a.ts'), await text('docs/new.md')]).toEqual([
    'import a;\r\nimport b;\r\nrun();\r\n',
    '# New\n',
  ]);
});

/** A file and 1,000 changes far apart in it: too many for the smallest diff to be found quickly. */
const MANY = Array.from({ length: 12_000 }, (_, index) => `line ${index}\n`);
const SOME = Array.from({ length: 1_000 }, (_, index) => ({
  op: 'replaceLine',
  path: 'many.txt',
  line: index * 11 + 5,
  content: `changed ${index}\nmore`,
}));

test('a diff of very many lines is one change; a byte order mark is in it; git applies both', async () => {
  verifies('cli.loom-apply');
  const mark = { op: 'append', path: 'bom.txt', content: 'three' };
  const shortened = { op: 'append', path: 'open.txt', content: 'two' };
  at = await project({
    'bom.txt': '\u{feff}one\ntwo\n',
    'open.txt': 'one',
    'many.txt': `${MANY.join('')}end`,
    'ops.json': [mark, shortened, ...SOME.slice(2)],
    'few.json': SOME.slice(0, 5).map((one) => ({ ...one, line: one.line * 2, content: 'few' })),
  });
  for (const [file, hunks] of [
    ['few.json', 5],
    ['ops.json', 3],
  ] as const) {
    const dry = await at.robosmith('loom', 'apply', file, '--dry-run');
    expect([dry.code, dry.out.match(/^@@ /gm)?.length]).toEqual([0, hunks]);
    execFileSync('git', ['apply', '-'], { cwd: at.folder, input: dry.out });
    const again = await at.robosmith('loom', 'apply', file);
    expect([again.code, again.err]).toEqual([0, expect.not.stringContaining(' made')]);
  }
  expect(await text('bom.txt')).toBe('\u{feff}one\ntwo\nthree\n');
});

test('operations come from the standard input, too; several appends make one file; what is no JSON is told with its line', async () => {
  verifies('cli.loom-apply', 'workers.loom.operations');
  const appends = ['# New', 'more'].map((content) => ({ op: 'append', path: 'docs/new.md', content }));
  const lines = appends.map((one) => JSON.stringify(one)).join('\n');
  at = await project({ 'bad.json': '[\n  {"op": "append" "path": "a"}\n]', 'ops.jsonl': lines });
  const piped = execFileSync(process.execPath, [PROGRAM, 'loom', 'apply', '-', '--json'], {
    cwd: at.folder,
    input: JSON.stringify(appends),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  expect(JSON.parse(piped)).toMatchObject({ ok: true, files: [{ path: 'docs/new.md', status: 'created', edits: 2 }] });
  expect(await text('docs/new.md')).toBe('# New\nmore');
  const bad = await at.robosmith('loom', 'apply', 'bad.json');
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('line 2, column 19: comma expected')]);
  const listed = await at.robosmith('loom', 'apply', 'ops.jsonl');
  expect([listed.code, listed.err]).toEqual([1, expect.stringContaining('(JSONL) is not supported')]);
});

test('an edit that does not fit is told with what would, and ends with 1; a file that is not there with 2', async () => {
  verifies('cli.loom-apply', 'workers.loom.one-match');
  at = await project({ 'ops.json': OPERATIONS, 'src/a.ts': 'import a;\nimport a;\n' });
  const refused = await at.robosmith('loom', 'apply', 'ops.json', '--json');
  expect(refused.code).toBe(1);
  const document = JSON.parse(refused.out) as unknown;
  expect(fits('notEdited', document)).toBe(true);
  expect(document).toMatchObject({ ok: false, errors: [{ code: 'ambiguous_anchor', operation: 1, path: 'src/a.ts' }] });
  expect(refused.err).toContain('ambiguous_anchor: operation 1, "src/a.ts"');
  expect(refused.err).toContain('Nothing was written.');
  expect((await readdir(at.folder)).sort()).toEqual(['ops.json', 'src', 'x.txt']);
  const missing = await at.robosmith('loom', 'apply', 'none.json');
  expect(missing.code).toBe(2);
});

const MANIFEST = {
  version: 1,
  workers: { 'Worker:Coder': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'Edit',
      blocks: {
        Edit: { worker: 'Worker:Coder', transitions: [to('SUCCESS', 'JUMP:Apply')] },
        Apply: {
          worker: 'Internal:Loom',
          access: { mode: 'partial', paths: ['src/**'] },
          transitions: [to('SUCCESS', 'RETURN'), to('FAILURE', 'JUMP:Edit')],
        },
      },
    },
  },
};

const says = (operation: object) => ({
  text: `Sure:\n\`\`\`json\n${JSON.stringify([operation])}\n\`\`\`\nSIGNAL:SUCCESS`,
});

test('a loop repairs an ambiguous anchor with the line that the error names', async () => {
  verifies('workers.loom.one-match', 'workers.access.modes');
  at = await project({
    '.flow/.keep': '',
    '.vision/workflows.json': MANIFEST,
    '.vision/answers.json': {
      'Worker:Coder': [
        says({ op: 'insert', path: 'src/a.ts', anchor: 'return 1;', content: '  // here' }),
        says({ op: 'replaceLine', path: 'src/a.ts', line: 5, content: '  return 2;', expected: 'return 1;' }),
      ],
    },
    'src/a.ts': 'function a() {\n  return 1;\n}\nfunction b() {\n  return 1;\n}\n',
  });
  const { code, out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
  const { success, path: steps, data } = JSON.parse(out) as Response;
  expect([code, success, steps.map(({ block, signal }) => `${block} ${signal?.replace('SIGNAL:', '') ?? ''}`)]).toEqual(
    [0, true, ['Main__Edit SUCCESS', 'Main__Apply FAILURE', 'Main__Edit SUCCESS', 'Main__Apply SUCCESS']],
  );
  const error = data.payload.find(({ type }) => type === 'LOOM_ERROR');
  expect(error?.meta['errors']).toMatchObject([
    {
      code: 'ambiguous_anchor',
      matches: [
        { line: 2, text: '  return 1;' },
        { line: 5, text: '  return 1;' },
      ],
    },
  ]);
  expect(await text('src/a.ts')).toBe('function a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}\n');
});
