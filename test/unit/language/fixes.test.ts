import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { createProjects, problems, quickFixes } from '#language/index.ts';
import { type Change, FACTS, offsetOf, open, SHARED } from './fixture.ts';

/** Returns every finding of a changed manifest as `file:line: code: underlined text`. */
function found(change: Change): readonly string[] {
  const { project, texts } = open(change);
  return [...problems(project)].flatMap(([file, list]) =>
    list.map(({ code, range }) => {
      const text = texts.get(file) ?? '';
      const underlined = text.slice(offsetOf(text, range.start), offsetOf(text, range.end));
      return `${file === SHARED ? 'shared' : 'main'}:${range.start.line + 1}: ${code}: ${underlined}`;
    }),
  );
}

describe('problems', () => {
  test.each([
    ['"JUMP:Test"', '"JUMP:Tets"', ['main:25: RS2013: "JUMP:Tets"']],
    ['"entry": "Build"', '"entry": "Biuld"', ['main:5: RS2021: "Biuld"']],
    ['"pool": "main"', '"pool": "mian"', ['main:10: RS2020: "mian"', 'main:19: RS4016: "Write"']],
    ['"mode": "partial"', '"mode": "party"', ['main:32: RS1012: "party"']],
    ['"entry_block": "Write"', '"entry_blok": "Write"', ['main:16: RS1010: "entry_blok"']],
    ['"version": 1,', '"version": 1', ['main:5: RS1001: "entry"']],
    ['"id": "visits.less_than"', '"id": "visits.les_than"', ['main:26: RS2017: "visits.les_than"']],
  ])('%s → %s', (before, after, expected) => {
    expect(found({ before, after })).toEqual(expected);
  });

  test('a fault of an imported file stands in that file, and what it breaks in the other', () => {
    expect(found({ before: '"Read": {', after: '"Raed": {', inShared: true })).toEqual([
      'main:37: RS2013: "JUMP:Review__Read"',
      'shared:13: RS3003: "Read"',
    ]);
  });

  test('a file that is well again has an empty list', () => {
    const { project } = open({ before: '"extend"', after: '"extend"' });
    expect([...problems(project)].map(([file, list]) => [file, list.length])).toEqual([
      ['.vision/workflows.json', 0],
      ['.vision/shared.json', 0],
    ]);
  });
});

/**
 * Cases: a text, its faulty replacement with the cursor (`|`), the code of the finding, and the titles of the offered
 * fixes.
 */
const FIXED: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['"JUMP:Test"', '"JUMP:Te|ts"', 'RS2013', ['Replace with "Test"', 'Create the block "Tets" in Build']],
  ['"JUMP:Test"', '"JUMP:So|mewhere"', 'RS2013', ['Create the block "Somewhere" in Build']],
  ['"JUMP:Review__Read"', '"JUMP:Review__Sum|marise"', 'RS2013', ['Create the block "Summarise" in Review']],
  ['"CALL:Review:Write"', '"CALL:Rev|iev:Write"', 'RS2014', ['Replace with "Review"', 'Create the node "Reviev"']],
  [
    '"CALL:Review:Write"',
    '"CALL:Review:Wri|tee"',
    'RS2015',
    ['Replace with "Write"', 'Create the block "Writee" in Build'],
  ],
  ['"entry": "Build"', '"entry": "Bi|uld"', 'RS2021', ['Replace with "Build"']],
  ['"extend": "Base"', '"extend": "Ba|es"', 'RS2005', ['Replace with "Base"', 'Create the node "Baes"']],
  ['"pool": "main"', '"pool": "mi|an"', 'RS2020', ['Replace with "main"', 'Declare the pool "mian"']],
  [
    '"worker": "Worker:Shell"',
    '"worker": "Worker:She|l"',
    'RS2016',
    ['Replace with "Worker:Shell"', 'Declare the worker "Worker:Shel"'],
  ],
  ['"worker": "Worker:Shell"', '"worker": "She|l"', 'RS2016', ['Replace with "Shell"', 'Declare the worker "Shel"']],
  [
    '"contract": "Write the code."',
    '"context_slice": "out|lin"',
    'RS2019',
    ['Replace with "outline"', 'Declare the context slice "outlin"'],
  ],
  ['"id": "visits.less_than"', '"id": "visits.les|_than"', 'RS2017', ['Replace with "visits.less_than"']],
  ['"mode": "partial"', '"mode": "par|tal"', 'RS1012', ['Replace with "partial"']],
  ['"contract": "Write', '"contr|act_": "Write', 'RS1010', ['Replace with "contract"', 'Remove "contract_"']],
  ['"./shared.json"', '"./sha|re.json"', 'RS2002', ['Replace with "./shared.json"']],
  ['"HALT_AND_FLAG"', '"HA|LT"', 'RS2012', ['Replace with "HALT_AND_FLAG"']],
  ['"SIGNAL:ASK"', '"a|sk"', 'RS1013', []],
  ['"SIGNAL:ASK"', '"signal:A|SK"', 'RS1013', ['Replace with "SIGNAL:ASK"']],
  ['"entry_block": "Write"', '"entry_block": "Wri|et"', 'RS3003', ['Replace with "Write"']],
  ['"contract": "Write the code."', '"contract": "a", "con|tract": "b"', 'RS1005', ['Remove the second "contract"']],
  ['"on_signal": "SIGNAL:ASK"', '"gua|rd": 1, "on_signal": "SIGNAL:ASK"', 'RS4003', ['Remove "guard"']],
  ['"paths": ["test/**"]', '"paths": "te|st/**"', 'RS1009', ['Write it as a list']],
  ['"worker": "Internal:GitCommit",', '', 'RS1011', ['Add "worker"']],
];

describe('quick fixes', () => {
  test.each(FIXED)('%s → %s', (before, after, code, titles) => {
    const { project, file, position, texts } = open({ before, after });
    const list = problems(project).get(file) ?? [];
    const problem = list.find((one) => one.code === code);
    expect(problem?.code).toBe(code);
    const at = after.includes('|')
      ? { start: position, end: position }
      : (problem?.range ?? { start: position, end: position });
    const fixes = quickFixes(project, file, at).filter((one) => one.code === code);
    expect(fixes.map(({ title }) => title)).toEqual(titles);
    for (const { edits } of fixes) {
      const mended = new Map(texts);
      for (const edit of [...edits].reverse()) {
        const text = mended.get(edit.file) ?? '';
        const [from, to] = [offsetOf(text, edit.range.start), offsetOf(text, edit.range.end)];
        mended.set(edit.file, text.slice(0, from) + edit.newText + text.slice(to));
      }
      const sources = [...mended].map(([path, text]) => ({ path, text }));
      const left = compile(sources, FACTS).diagnostics.filter((one) => one.code === code);
      expect(left).toEqual([]);
    }
  });

  test('a row for any other signal is added behind the others, and comments stay', () => {
    const { project, file, texts } = open({
      before: ',\n            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }',
      after: ' // the last one',
    });
    const problem = problems(project)
      .get(file)
      ?.find(({ code }) => code === 'RS4002');
    const [fix] = problem === undefined ? [] : quickFixes(project, file, problem.range);
    expect(fix?.title).toBe('Add a row that halts on any other signal');
    let text = texts.get(file) ?? '';
    for (const { range, newText } of [...(fix?.edits ?? [])].reverse())
      text = text.slice(0, offsetOf(text, range.start)) + newText + text.slice(offsetOf(text, range.end));
    expect(text).toContain('// the last one');
    expect(compile([{ path: file, text }, ...project.documents.slice(1)], FACTS).diagnostics).toEqual([]);
  });
});

describe('hostile texts', () => {
  test.each([
    ['nothing', ''],
    ['no object', '[]'],
    ['100,000 brackets', '['.repeat(100_000)],
    ['an unfinished text', '{ "nodes": { "A'],
    [
      'names of the prototype',
      '{ "nodes": { "__proto__": { "blocks": { "constructor": { "worker": "toString" } } } } }',
    ],
    [
      'a node that extends itself',
      '{ "version": 1, "nodes": { "A": { "extend": "A", "mixins": ["B"] }, "B": { "extend": "A" } } }',
    ],
  ])('%s ends with findings, not with an exception', (_, text) => {
    const project = createProjects()([{ path: 'a.json', text }], {});
    expect(problems(project).get('a.json')?.length).toBeGreaterThan(0);
    expect(project.names.names('node').length).toBeLessThan(3);
    expect(quickFixes(project, 'a.json', { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } })).toEqual(
      expect.any(Array),
    );
  });
});
