import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../e2e/verifies.ts';
import { saysThen } from '../../support/says-then.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

/** The content of `test/samples/answers/<name>/expected.json`. */
interface Expected {
  readonly why: string;
  readonly worker?: string;
  readonly artifact?: readonly string[];
  readonly params?: Readonly<Record<string, boolean>>;
  /** The paths of `access`. If they are missing, the access mode is `shared`. */
  readonly paths?: readonly string[];
  /** The metadata of the segment. */
  readonly meta?: Readonly<Record<string, string>>;
  readonly before?: Readonly<Record<string, string>>;
  /** The files that must exist afterwards in addition to `before`. No others may exist. */
  readonly files?: Readonly<Record<string, string>>;
  /** Code and path of each expected problem, in order. If there are problems, no file may have changed. */
  readonly refused?: readonly (readonly [string, string])[];
}

const SAMPLES = path.resolve(import.meta.dirname, '../../samples/answers');
const names = await readdir(SAMPLES);

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

async function all(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(
      async (file) => [path.relative(folder, file).replaceAll('\\', '/'), await readFile(file, 'utf8')] as const,
    ),
  );
  return Object.fromEntries(texts);
}

/** Writes the answer into real files and returns the code and path of each problem. */
async function write(content: string, expected: Expected): Promise<readonly (readonly [unknown, unknown])[]> {
  const append = [{ type: 'CODE_OUTPUT', content, meta: expected.meta ?? {} }];
  const { worker = 'FileSystemWriter', artifact = [], params = {}, paths } = expected;
  const access = paths === undefined ? { mode: 'shared' } : { paths: [...paths] };
  const block = { access, artifact: [...artifact], params };
  const given = { append, name: 'Write', worker: `Internal:${worker}`, block };
  const { path: steps, data } = await saysThen(given, { directory: folder });
  const last = data.payload.at(-1);
  if (steps.at(-1)?.signal === 'SIGNAL:SUCCESS') return [];
  expect(last?.type).toBe('WRITE_ERROR');
  const refused = (last?.meta['refused'] ?? [{ code: last?.meta['code'], path: '' }]) as readonly {
    readonly code: string;
    readonly path: string;
  }[];
  return refused.map(({ code, path: file }) => [code, file]);
}

test('the corpus is there', () => {
  expect(names.length).toBeGreaterThanOrEqual(60);
});

test.each(names)('%s', async (name) => {
  verifies('workers.file-system-writer.extracts', 'workers.file-system-writer.all-or-none');
  const expected = JSON.parse(await readFile(path.join(SAMPLES, name, 'expected.json'), 'utf8')) as Expected;
  if (expected.worker === 'DocumentationWriter') verifies('workers.documentation-writer');
  if (/lazy|existing-code/.test(name)) verifies('workers.access.lazy-rewrite');
  const before = expected.before ?? {};
  await put(before);
  const refused = await write(await readFile(path.join(SAMPLES, name, 'answer.md'), 'utf8'), expected);
  expect(refused).toEqual(expected.refused ?? []);
  expect(await all()).toEqual({ ...before, ...expected.files });
  if (expected.refused !== undefined) return;
  // After a crash the same answer is written again. Files that already have the answer's content are accepted.
  expect(
    await write(await readFile(path.join(SAMPLES, name, 'answer.md'), 'utf8'), { ...expected, params: {} }),
  ).toEqual([]);
});
