import { describe, expect, test } from 'vitest';
import {
  findDefinition,
  findReferences,
  folding,
  hover,
  lenses,
  type Location,
  outline,
  type OutlineEntry,
  rename,
  startRename,
} from '#language/index.ts';
import { compile } from '#compiler/index.ts';
import { FACTS, MAIN, offsetOf, open, type Opened, schema, SHARED } from './fixture.ts';

/** Formats a location as `file:line: text of the range`, with lines counted from 1. */
const shown = ({ texts }: Opened, { file, range }: Location): string => {
  const text = texts.get(file) ?? '';
  const found = text.slice(offsetOf(text, range.start), offsetOf(text, range.end));
  return `${file === SHARED ? 'shared' : 'main'}:${range.start.line + 1}: ${found}`;
};

/** Cases: a text, its replacement with the cursor (`|`), and the locations of the definition. */
const DEFINED: readonly (readonly [string, string, readonly string[]])[] = [
  ['"JUMP:Test"', '"JUMP:T|est"', ['main:30: Test']],
  ['"JUMP:Test"', '"J|UMP:Test"', []],
  ['"CALL:Review:Write"', '"CALL:Rev|iew:Write"', ['shared:12: Review']],
  ['"CALL:Review:Write"', '"CALL:Review:Wr|ite"', ['main:19: Write']],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:Review,Node:F|ix:Done"', ['main:47: Fix']],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:Review,Node:Fix:D|one"', ['main:40: Done']],
  ['"JUMP:Block:Build__Write"', '"JUMP:Block:Bu|ild__Write"', ['main:15: Build']],
  ['"JUMP:Block:Build__Write"', '"JUMP:Block:Build__W|rite"', ['main:19: Write']],
  ['"JUMP:Review__Read"', '"JUMP:Review__R|ead"', ['shared:16: Read']],
  ['"entry": "Build"', '"entry": "B|uild"', ['main:15: Build']],
  ['"resolver": "Node:Fix"', '"resolver": "Node:F|ix"', ['main:47: Fix']],
  ['"extend": "Base"', '"extend": "B|ase"', ['shared:5: Base']],
  ['"JUMP:Finish"', '"JUMP:F|inish"', ['shared:9: Finish']],
  ['"pool": "main"', '"pool": "m|ain"', ['main:8: main']],
  ['"worker": "Worker:Shell"', '"worker": "Worker:S|hell"', ['main:11: Worker:Shell']],
  [
    '"policy": "repair", "worker": "Worker:Script"',
    '"policy": "repair", "worker": "Wor|ker:Script"',
    ['main:12: Worker:Script'],
  ],
  ['"BLOCK:Test"', '"BLOCK:T|est"', ['main:30: Test']],
  ['"node": "Fix"', '"node": "F|ix"', ['main:47: Fix']],
  ['"block": "Write"', '"block": "W|rite"', ['main:19: Write']],
  ['"entry_block": "Write"', '"entry_block": "W|rite"', ['main:19: Write']],
  ['"contract": "Write the code."', '"context_slice": "out|line"', ['shared:3: outline']],
  ['"./shared.json"', '"./sha|red.json"', ['shared:1: ']],
  ['"worker": "Internal:GitCommit"', '"worker": "Internal:Git|Commit"', []],
  ['"contract": "Write the code."', '"contract": "Wr|ite the code."', []],
];

describe('go to definition', () => {
  test.each(DEFINED)('%s → %s', (before, after, expected) => {
    const opened = open({ before, after });
    const found = findDefinition(opened.project, opened.file, opened.position);
    expect(found.map((one) => shown(opened, one))).toEqual(expected);
  });

  test('an answers file is named relative to the manifest', () => {
    const { project, file, position } = open({ before: '"./answers.json"', after: '"./ans|wers.json"' });
    expect(findDefinition(project, file, position).map((one) => one.file)).toEqual(['.vision/answers.json']);
  });
});

const REFERRED: readonly (readonly [string, string, readonly string[]])[] = [
  ['"JUMP:Test"', '"JUMP:T|est"', ['main:30: Test', 'main:23: Test', 'main:25: Test']],
  ['"extend": "Base"', '"extend": "B|ase"', ['shared:5: Base', 'main:48: Base']],
  ['"Fix": {', '"F|ix": {', ['main:47: Fix', 'main:7: Fix', 'main:35: Fix', 'main:42: Fix']],
  ['"JUMP:Finish"', '"JUMP:F|inish"', ['shared:9: Finish', 'main:50: Finish', 'shared:8: Finish']],
  ['"SIGNAL:ASK"', '"SIGNAL:A|SK"', ['main:26: SIGNAL:ASK']],
  [
    '"3": "SIGNAL:RETRY_LATER"',
    '"3": "SIGNAL:RE|TRY_LATER"',
    ['main:11: SIGNAL:RETRY_LATER', 'main:36: SIGNAL:RETRY_LATER'],
  ],
  ['"pool": "main"', '"pool": "m|ain"', ['main:8: main', 'main:10: main']],
];

describe('find references', () => {
  test.each(REFERRED)('%s → %s', (before, after, expected) => {
    const opened = open({ before, after });
    const found = findReferences(opened.project, opened.file, opened.position, true);
    expect(found.map((one) => shown(opened, one))).toEqual(expected);
  });

  test('the declaration can be left out', () => {
    const opened = open({ before: '"pool": "main"', after: '"pool": "m|ain"' });
    const found = findReferences(opened.project, opened.file, opened.position, false);
    expect(found.map((one) => shown(opened, one))).toEqual(['main:10: main']);
  });
});

/** Returns the texts after the edits of a rename. */
function renamed(opened: Opened, name: string): ReadonlyMap<string, string> {
  const result = rename(opened.project, opened.file, opened.position, name);
  if (!result.ok) throw new Error(result.problem);
  const texts = new Map(opened.texts);
  const last = [...result.edits].sort(
    (left, right) =>
      right.range.start.line - left.range.start.line || right.range.start.character - left.range.start.character,
  );
  for (const { file, range, newText } of last) {
    const text = texts.get(file) ?? '';
    texts.set(file, text.slice(0, offsetOf(text, range.start)) + newText + text.slice(offsetOf(text, range.end)));
  }
  return texts;
}

const codes = (texts: ReadonlyMap<string, string>): readonly string[] =>
  compile(
    [...texts].map(([path, text]) => ({ path, text })),
    FACTS,
  ).diagnostics.map(({ code, message }) => `${code} ${message}`);

/**
 * Cases: a text, its replacement with the cursor (`|`), the new name, and the number of changed places in each file.
 */
const RENAMED: readonly (readonly [string, string, string, number, number])[] = [
  ['"JUMP:Test"', '"JUMP:T|est"', 'Check', 3, 0],
  ['"Build": {', '"B|uild": {', 'Make', 3, 0],
  ['"CALL:Review:Write"', '"CALL:R|eview:Write"', 'Audit', 3, 1],
  ['"JUMP:Review__Read"', '"JUMP:Review__R|ead"', 'Look', 1, 2],
  ['"Prepare": {', '"P|repare": {', 'Set-up', 1, 2],
  ['"JUMP:Finish"', '"JUMP:Fin|ish"', 'End', 1, 2],
  ['"entry_block": "Write"', '"entry_block": "Wr|ite"', 'Code', 5, 0],
  ['"pool": "main"', '"pool": "m|ain"', 'other', 2, 0],
  ['"worker": "Worker:Shell"', '"worker": "W|orker:Shell"', 'Worker:Make', 2, 0],
  ['"3": "SIGNAL:RETRY_LATER"', '"3": "SIGNAL:|RETRY_LATER"', 'SIGNAL:LATER', 2, 0],
  ['"Worker:Script": {', '"Worker:S|cript": {', 'Worker:Notes', 2, 1],
];

describe('rename', () => {
  test('the manifest of the tests has no findings', () => {
    const { texts } = open({ before: '"extend"', after: '|"extend"' });
    expect(codes(texts)).toEqual([]);
  });

  test.each(RENAMED)('%s → %s as %s', (before, after, name, inMain, inShared) => {
    const opened = open({ before, after });
    const texts = renamed(opened, name);
    expect(codes(texts)).toEqual([]);
    const count = (file: string): number => {
      const result = rename(opened.project, opened.file, opened.position, name);
      return result.ok ? result.edits.filter((edit) => edit.file === file).length : -1;
    };
    expect([count(MAIN), count(SHARED)]).toEqual([inMain, inShared]);
  });

  test.each([
    ['"JUMP:Test"', '"JUMP:T|est"', 'Write', 'The block "Write" already exists.'],
    ['"Fix": {', '"F|ix": {', 'Review', 'The node "Review" already exists.'],
    [
      '"Fix": {',
      '"F|ix": {',
      'a b',
      '"a b" can\'t be a name: use letters, digits, _ and -, without __ and not only digits.',
    ],
    [
      '"Fix": {',
      '"F|ix": {',
      'a__b',
      '"a__b" can\'t be a name: use letters, digits, _ and -, without __ and not only digits.',
    ],
    [
      '"Fix": {',
      '"F|ix": {',
      '12',
      '"12" can\'t be a name: use letters, digits, _ and -, without __ and not only digits.',
    ],
    [
      '"worker": "Worker:Shell"',
      '"worker": "W|orker:Shell"',
      'Internal:Make',
      '"Internal:Make" can\'t be a name: use letters, digits, _ and -, without __ and not only digits.',
    ],
    ['"SIGNAL:ASK"', '"SIGNAL:A|SK"', 'ask', 'A signal must be `SIGNAL:` followed by capital letters, digits or `_`.'],
  ])('%s → %s as %s is refused', (before, after, name, problem) => {
    const { project, file, position } = open({ before, after });
    expect(rename(project, file, position, name)).toEqual({ ok: false, problem });
  });

  test.each([
    [
      '"worker": "Internal:GitCommit"',
      '"worker": "Int|ernal:GitCommit"',
      "Internal:GitCommit is not declared in this manifest or its imports, so it can't be renamed.",
    ],
    ['"contract": "Write the code."', '"contract": "W|rite the code."', 'There is nothing to rename here.'],
    ['"JUMP:Test" }', '"JUMP:Test" }| ', 'There is nothing to rename here.'],
  ])('%s → %s has nothing to rename', (before, after, problem) => {
    const { project, file, position } = open({ before, after });
    expect(startRename(project, file, position)).toEqual({ ok: false, problem });
  });

  test('a name with escapes is replaced whole', () => {
    const opened = open({ before: '"extend": "Base"', after: String.raw`"extend": "B|as\u0065"` });
    expect(renamed(opened, 'Ground').get(MAIN)).toContain('"extend": "Ground"');
  });
});

const HOVERED: readonly (readonly [string, string, string, string])[] = [
  ['"JUMP:Test"', '"JUMP:T|est"', 'block Build__Test', 'Worker: Worker:Shell'],
  ['"CALL:Review:Write"', '"CALL:Rev|iew:Write"', 'node Review', 'Blocks: Read'],
  ['"extend": "Base"', '"extend": "Ba|se"', 'node Base', 'Entry block: Prepare'],
  ['"worker": "Worker:Shell"', '"worker": "Worker:Sh|ell"', 'worker Worker:Shell', 'kind: command'],
  [
    '"worker": "Internal:GitCommit"',
    '"worker": "Internal:G|itCommit"',
    'worker Internal:GitCommit',
    'Built-in worker.',
  ],
  ['"SIGNAL:ASK"', '"SIGNAL:A|SK"', 'signal SIGNAL:ASK', 'Occurs once in this manifest.'],
  ['"id": "visits.less_than"', '"id": "vis|its.less_than"', 'condition visits.less_than', 'args: [number]'],
  ['"pool": "main"', '"pool": "ma|in"', 'pool main', 'Keys: keys, budget'],
  [
    '"entry_block": "Write"',
    '"entry_b|lock": "Write"',
    'entry_block',
    "The block that is executed first when the node is entered. Default: the first one. A node that others name in `extend` or `mixins` and that nothing calls can't be entered without it.",
  ],
  [
    '"mode": "partial"',
    '"mo|de": "partial"',
    'mode',
    '`strict`: no writes; `partial`: the listed paths; `shared`: the whole worktree.',
  ],
  ['"kind": "scripted"', '"kind": "scr|ipted"', 'kind', 'Answers from a file, for demos, dry runs and tests.'],
];

describe('hover', () => {
  test.each(HOVERED)('%s → %s', (before, after, title, text) => {
    const { project, file, position } = open({ before, after });
    const found = hover(project, file, position, schema);
    expect(found?.title).toBe(title);
    expect([...(found?.lines ?? []), found?.documentation]).toContain(text);
  });

  test('there is nothing to say of a bracket', () => {
    const { project, file, position } = open({ before: '"paths": ["test/**"]', after: '"paths": [|"test/**"]' });
    expect(hover(project, file, { ...position, character: position.character - 1 }, schema)).toBe(null);
  });
});

const names = (entries: readonly OutlineEntry[]): readonly unknown[] =>
  entries.map(({ kind, name, children }) =>
    children.length === 0 ? `${kind} ${name}` : [`${kind} ${name}`, ...names(children)],
  );

describe('outline, folding and lenses', () => {
  const { project } = open({ before: '"extend"', after: '"extend"' });
  const [main, shared] = project.documents;
  if (main === undefined || shared === undefined) throw new Error('two files');

  test('the outline has what the manifest declares, in written order', () => {
    expect(names(outline(main))).toEqual([
      'pool main',
      'worker Worker:Coder',
      'worker Worker:Shell',
      'worker Worker:Script',
      ['node Build', 'block Write', 'block Test', 'block Done'],
      ['node Fix', 'block Prepare'],
    ]);
    expect(names(outline(shared))).toEqual([
      'slice outline',
      ['node Base', 'block Prepare', 'block Finish'],
      ['node Review', 'block Read'],
    ]);
  });

  test('comments of several lines fold, and every object of several lines', () => {
    const folds = folding(main);
    expect(folds).toContainEqual({ from: 1, to: 2, isComment: true });
    expect(folds).toContainEqual({ from: 14, to: 44, isComment: false });
    expect(folds.filter(({ from, to }) => to <= from)).toEqual([]);
  });

  test('every node can be run, simulated and shown', () => {
    const found = lenses(project, main).map(({ action, node, range }) => `${action} ${node} ${range.start.line + 1}`);
    expect(found).toEqual([
      'run Build 15',
      'simulate Build 15',
      'show Build 15',
      'run Fix 47',
      'simulate Fix 47',
      'show Fix 47',
    ]);
  });

  test('a node without blocks cannot be run', () => {
    const changed = open({ before: '"Fix": {', after: '"Empty": { "blocks": {} }, "Fix": {' });
    const [document] = changed.project.documents;
    const nodes = document === undefined ? [] : lenses(changed.project, document).map(({ node }) => node);
    expect(new Set(nodes)).toEqual(new Set(['Build', 'Fix']));
  });
});
