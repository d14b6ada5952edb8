import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { project, type Project, to } from './robosmith.ts';

const SECRET = 'TOKEN=do-not-print-this';

let at: Project;
let outside: string;
beforeEach(async () => {
  at = await project({});
  outside = path.join(at.folder, '..', 'outside');
  await mkdir(outside);
  await writeFile(path.join(outside, 'secret'), SECRET);
});
afterEach(() => at.remove());

const link = async (name: string, target: string): Promise<void> => {
  await mkdir(path.dirname(at.file(name)), { recursive: true });
  await symlink(target, at.file(name));
};

const scripted = {
  version: 1,
  workers: { 'Worker:S': { kind: 'scripted', answers: './answers.json' } },
  nodes: { N: { entry_block: 'a', blocks: { a: { worker: 'Worker:S', transitions: [to('SUCCESS', 'RETURN')] } } } },
};

const write = async (name: string, content: unknown): Promise<void> => {
  await mkdir(path.dirname(at.file(name)), { recursive: true });
  await writeFile(at.file(name), typeof content === 'string' ? content : JSON.stringify(content));
};

describe.skipIf(process.platform === 'win32')('a link out of the project', () => {
  test.each([['validate'], ['graph'], ['manifest', 'show'], ['simulate', 'N', '--script', 'x.txt']])(
    'in place of the manifest is refused by %s, and nothing of the file is printed',
    async (...args) => {
      await link('.vision/workflows.json', path.join(outside, 'secret'));
      const { code, out, err } = await at.robosmith(...args);
      expect(code).toBe(2);
      expect(err).toContain('.vision/workflows.json leads out of the project');
      expect(err).toMatch(/Next:\n +robosmith init/);
      expect(out + err).not.toContain('TOKEN');
    },
  );

  test('in place of .vision is refused as well', async () => {
    await write('x', '');
    await writeFile(path.join(outside, 'workflows.json'), SECRET);
    await link('.vision', outside);
    const { code, out, err } = await at.robosmith('validate');
    expect([code, (out + err).includes('TOKEN')]).toEqual([2, false]);
  });

  test('in place of a script is refused, and nothing of the file is printed', async () => {
    await write('.vision/workflows.json', scripted);
    await write('.vision/answers.json', {});
    await link('.vision/s.json', path.join(outside, 'secret'));
    const { code, out, err } = await at.robosmith('simulate', 'N', '--script', '.vision/s.json');
    expect(code).toBe(2);
    expect(err).toContain('is a link to a file outside of the project');
    expect(out + err).not.toContain('TOKEN');
  });

  test.each([
    [
      'a link',
      () => link('.vision/answers.json', path.join(outside, 'secret')),
      'a link in its path leads out of the root folder',
    ],
    ['a folder', () => mkdir(at.file('.vision/answers.json')), 'it is a folder'],
    ['nothing', () => Promise.resolve(), 'there is no such file in the project'],
    [
      'a pipe',
      () => Promise.resolve(void execFileSync('mkfifo', [at.file('.vision/answers.json')])),
      'it is not a regular file',
    ],
    ['bytes', () => writeFile(at.file('.vision/answers.json'), Buffer.from([0x7b, 0xff, 0x7d])), 'it is not UTF-8'],
  ])('the answers of a worker that are %s are an error at the key', async (_what, make, why) => {
    await write('.vision/workflows.json', scripted);
    await make();
    const { code, out } = await at.robosmith('validate', '--json');
    expect(code).toBe(2);
    const { diagnostics } = JSON.parse(out) as { readonly diagnostics: readonly Readonly<Record<string, unknown>>[] };
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'RS2051', pointer: '/workers/Worker:S/answers', message: expect.stringContaining(why) as string },
    ]);
  });

  test.each([
    ['a pipe', () => Promise.resolve(void execFileSync('mkfifo', [at.file('.vision/f.json')])), 'not a regular file'],
    [
      'a link',
      () => link('.vision/f.json', path.join(outside, 'secret')),
      'a link in its path leads out of the root folder',
    ],
    ['a folder', () => mkdir(at.file('.vision/f.json')), 'it is a folder'],
  ])('an import that is %s is an error with its reason', async (_what, make, why) => {
    await write('.vision/workflows.json', { version: 1, imports: ['./f.json'], nodes: {} });
    await make();
    const { code, out, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect(out + err).toContain('RS2050');
    expect(out + err).toContain(why);
  });

  test.each(['.gitignore', '.vision', '.vision/ignore', '.vision/workflows.json', '.flow'])(
    'in place of %s: init writes nothing',
    async (name) => {
      await link(name, name.includes('.json') || name.includes('ignore') ? path.join(outside, 'secret') : outside);
      const { code, err } = await at.robosmith('init');
      expect(code).toBe(2);
      expect(err).toContain('is a link that leads out of the project');
      expect(await readdir(outside)).toEqual(['secret']);
      expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe(SECRET);
    },
  );

  test('that leads nowhere yet: init makes no file there', async () => {
    await link('.gitignore', path.join(outside, 'authorized_keys'));
    expect((await at.robosmith('init')).code).toBe(2);
    expect(await readdir(outside)).toEqual(['secret']);
  });
});

describe('a hostile pattern of a manifest', () => {
  const HOSTILE = ['+(a|aa|aaa)b', '*(a|a?|aa)*(a|a?)!x', '*a*a*a*a*a*a*a*a*a*a*a*a*b', '{a,b}'.repeat(30)];

  test.each(
    HOSTILE.flatMap((glob) => [
      { evidence: [{ file: glob }] },
      { artifact: [glob] },
      { access: { mode: 'partial', paths: [glob] } },
    ]),
  )('is refused before it is matched: %j', async (block) => {
    await write('.vision/workflows.json', {
      ...scripted,
      nodes: { N: { entry_block: 'a', blocks: { a: { worker: 'Worker:S', ...block } } } },
    });
    await write('.vision/answers.json', {});
    await write(`${'a'.repeat(60)}!`, '');
    const { code, out, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect(out + err).toContain('RS2052');
  });

  test('of a schema answers for its worst text', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    await write('.vision/workflows.json', {
      version: 1,
      workers: { 'Worker:M': { kind: 'ai', provider: 'openai', model: 'm' } },
      nodes: { N: { entry_block: 'a', blocks: { a: { worker: 'Worker:M', validation: { schema } } } } },
    });
    await write('s.json', { N__a: [{ text: JSON.stringify({ a: `${'a'.repeat(45)}!` }) }] });
    const { code, out } = await at.robosmith('simulate', 'N', '--script', 's.json', '--json');
    expect(code).not.toBe(0);
    expect(out).toContain('must match pattern');
  });
});
