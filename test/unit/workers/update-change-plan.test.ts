import { afterEach, beforeEach, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { ChangePlan } from '#protocol/services.ts';
import { saysThen } from '../../support/says-then.ts';
import { newFolder, removeFolder } from './in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

async function planning(contents: readonly string[], changePlan?: ChangePlan) {
  const append: readonly SegmentDraft[] = contents.map((content) => ({ type: 'NEW_FILES_IDENTIFIED', content }));
  const ports = { ...realPorts(folder), ...(changePlan === undefined ? {} : { changePlan }) };
  const response = await saysThen({ append, name: 'Plan', worker: 'Internal:UpdateChangePlan' }, { ports });
  return {
    signal: response.path.at(-1)?.signal,
    last: response.data.payload.at(-1),
    files: response.data.exports['plan.new_files'],
  };
}

test.each<[string, readonly string[], readonly string[]]>([
  ['a list as JSON', ['["src/b.ts", "src/a.ts"]'], ['src/a.ts', 'src/b.ts']],
  ['an object with files', ['{"files": [{"path": "src/a.ts", "why": "new"}]}'], ['src/a.ts']],
  ['a fence', ['I need these:\n```json\n["a.ts"]\n```\nSIGNAL:SUCCESS'], ['a.ts']],
  ['bullets', ['- `src/a.ts` (new)\n* src/b.ts\n3. src\\c.ts\n\nSIGNAL:SUCCESS'], ['src/a.ts', 'src/b.ts', 'src/c.ts']],
  ['several segments', ['a.ts', './a.ts\nb.ts'], ['a.ts', 'b.ts']],
])('takes %s', async (_what, contents, files) => {
  const planned = await planning(contents);
  expect([planned.signal, planned.files]).toEqual(['SIGNAL:SUCCESS', files]);
  expect(planned.last).toMatchObject({ type: 'CHANGE_PLAN_UPDATED', meta: { files, session: false } });
});

test('of a session it adds them to the change plan', async () => {
  const added: (readonly string[])[] = [];
  const add = (paths: readonly string[]): Promise<void> => {
    added.push(paths);
    return Promise.resolve();
  };
  const { last } = await planning(['b.ts\na.ts'], { add });
  expect(added).toEqual([['a.ts', 'b.ts']]);
  expect(last?.meta).toEqual({ files: ['a.ts', 'b.ts'], session: true });
});

test.each([
  ['no segment', [], 'no_files'],
  ['no path', ['Nothing is needed here.'], 'no_files'],
  ['a way out', ['a.ts\n../b.ts'], 'unsafe_path'],
])('refuses %s', async (_what, contents, code) => {
  const { signal, last, files } = await planning(contents);
  expect([signal, last?.meta['code'], files]).toEqual(['SIGNAL:FAILURE', code, undefined]);
});
