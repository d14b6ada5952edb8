import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import {
  complete,
  createProjects,
  editWording,
  findDefinition,
  findReferences,
  hover,
  lenses,
  type ManifestProject,
  outline,
  type Position,
  problems,
  quickFixes,
  rename,
  type TextEdit,
} from '#language/index.ts';
import { FACTS, offsetOf, schema } from './fixture.ts';

const FILE = '.vision/workflows.json';

const TEXT = `{
  "version": 1,
  "entry": "Job",
  "commands": { "test": ["npm", "test"] },
  "default_transitions": { "FAIL_DEFAULT": "person", "LATER": "Job__Ask" },
  "workers": {
    "Coder": { "kind": "agent", "preset": "claude" }
  },
  "nodes": {
    "Job": {
      "blocks": {
        "Write": { "worker": "Coder", "contract": "Write.", "on": { "SUCCESS": "Test" } },
        "Test": {
          "worker": "TestRunner",
          "on": {
            "SUCCESS": { "all": ["Review", "Review"], "to": "Ask" },
            "FAILURE": [{ "to": "Write", "at_most": 3 }, { "call": "Fix", "to": "Block:Test", "at_most": 4 }]
          }
        },
        "Ask": { "worker": "ManualIntervention", "on": { "SUCCESS": "done", "REJECTED": "person" } }
      }
    },
    "Review": { "blocks": { "Read": { "worker": "Worker:Coder", "on": { "SUCCESS": "done" } } } },
    "Fix": { "blocks": { "Mend": { "worker": "Coder", "on": { "SUCCESS": "RETURN" } } } }
  }
}
`;

interface Opened {
  readonly project: ManifestProject;
  readonly text: string;
  readonly position: Position;
}

const positionIn = (text: string, offset: number): Position => {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
};

/** Opens the manifest with a change, which may contain the cursor, `|`. */
function open(before = '', after = ''): Opened {
  if (before !== '' && TEXT.split(before).length !== 2) throw new Error(`${before} is not there once`);
  const changed = before === '' ? TEXT : TEXT.replace(before, () => after);
  const at = Math.max(0, changed.indexOf('|'));
  const text = changed.replace('|', '');
  return { project: createProjects()([{ path: FILE, text }], FACTS), text, position: positionIn(text, at) };
}

const applied = (text: string, edits: readonly TextEdit[]): string =>
  edits
    .toSorted((one, other) => offsetOf(text, other.range.start) - offsetOf(text, one.range.start))
    .reduce(
      (rest, { range, newText }) =>
        rest.slice(0, offsetOf(text, range.start)) + newText + rest.slice(offsetOf(text, range.end)),
      text,
    );

const graphOf = (text: string): unknown => {
  const { workflow, diagnostics } = compile([{ path: FILE, text }], FACTS);
  return workflow === null
    ? diagnostics.map(({ message }) => message)
    : JSON.parse(JSON.stringify(workflow.graph, (key, value: unknown) => (key === 'origin' ? undefined : value)));
};

test('the manifest of the tests has no findings', () => {
  expect(open().project.diagnostics).toEqual([]);
});

/** A place with a cursor, and the text of the declaration that is found from there. */
const DEFINED: readonly (readonly [before: string, after: string, found: string])[] = [
  ['"on": { "SUCCESS": "Test" }', '"on": { "SUCCESS": "T|est" }', '"Test": {\n'],
  ['"to": "Write"', '"to": "W|rite"', '"Write": {'],
  ['"to": "Ask"', '"to": "A|sk"', '"Ask": {'],
  ['"to": "Block:Test"', '"to": "Block:T|est"', '"Test": {\n'],
  ['"call": "Fix"', '"call": "F|ix"', '"Fix": {'],
  ['["Review", "Review"]', '["Review", "Rev|iew"]', '"Review": {'],
  ['"Job__Ask"', '"Job__A|sk"', '"Ask": {'],
  ['"Mend": { "worker": "Coder"', '"Mend": { "worker": "C|oder"', '"Coder": {'],
  ['"worker": "Worker:Coder"', '"worker": "Worker:C|oder"', '"Coder": {'],
];

describe('go to definition', () => {
  test.each(DEFINED)('%s', (before, after, found) => {
    const { project, text, position } = open(before, after);
    const [place] = findDefinition(project, FILE, position);
    const from = place === undefined ? 0 : offsetOf(text, place.range.start);
    expect(text.slice(from - 1).startsWith(found)).toBe(true);
  });

  test.each(['"SUCCESS": "d|one", "REJECTED"', '"SUCCESS": "done", "REJECTED": "pe|rson"'])(
    '%s names nothing',
    (after) => {
      const { project, position } = open(
        after.includes('pe|rson') ? '"SUCCESS": "done", "REJECTED": "person"' : '"SUCCESS": "done", "REJECTED"',
        after,
      );
      expect(findDefinition(project, FILE, position)).toEqual([]);
    },
  );
});

const RENAMED: readonly (readonly [before: string, after: string, name: string, places: number])[] = [
  ['"Write": {', '"W|rite": {', 'Code', 2],
  ['"to": "Write"', '"to": "Wr|ite"', 'Code', 2],
  ['"Review": {', '"R|eview": {', 'Audit', 3],
  ['"Fix": {', '"F|ix": {', 'Repair', 2],
  ['"Coder": {', '"C|oder": {', 'Builder', 4],
  ['"Write": { "worker": "Coder"', '"Write": { "worker": "Co|der"', 'Worker:Builder', 4],
  ['"LATER": ', '"LA|TER": ', 'SOON', 1],
  ['"to": "Ask"', '"to": "A|sk"', 'Look', 3],
];

describe('rename', () => {
  test.each(RENAMED)('%s → %s as %s', (before, after, name, places) => {
    const { project, text, position } = open(before, after);
    const renamed = rename(project, FILE, position, name);
    if (!renamed.ok) throw new Error(renamed.problem);
    expect(renamed.edits).toHaveLength(places);
    const bare = name.replace('Worker:', '');
    const old =
      { Code: 'Write', Look: 'Ask', Audit: 'Review', Repair: 'Fix', Builder: 'Coder', SOON: 'LATER' }[bare] ?? '';
    const expected = JSON.stringify(graphOf(text)).replaceAll(new RegExp(`(?<=["_:,])${old}(?=["_:,])`, 'g'), bare);
    expect(JSON.stringify(graphOf(applied(text, renamed.edits)))).toBe(expected);
    // A place keeps its form: with its prefix, or without.
    expect(applied(text, renamed.edits).includes('Worker:')).toBe(true);
  });

  test.each([
    ['"Write": {', '"Wr|ite": {', 'done', '"done" is a word of `on`, so it can\'t be the new name of a block.'],
    ['"Write": {', '"Wr|ite": {', 'RETURN', '"RETURN" is a word of `on`, so it can\'t be the new name of a block.'],
    [
      '"Coder": {',
      '"Co|der": {',
      'TestRunner',
      'There is a built-in worker "Internal:TestRunner", and some places have no `Worker:`.',
    ],
  ])('%s → %s as %s is refused', (before, after, name, problem) => {
    const { project, position } = open(before, after);
    expect(rename(project, FILE, position, name)).toEqual({ ok: false, problem });
  });
});

const BLOCKS = ['Write', 'Test', 'Ask', 'Review__Read', 'Fix__Mend'];
const WORDS = ['done', 'person'];

const COMPLETED: readonly (readonly [before: string, after: string, labels: readonly string[]])[] = [
  ['"on": { "SUCCESS": "Test" }', '"on": { "SUCCESS": "|" }', [...BLOCKS, ...WORDS, 'CALL:', 'FORK:', 'JUMP:']],
  ['"on": { "SUCCESS": "Test" }', '"on": { "SUCCESS": "CALL:|" }', ['Job', 'Review', 'Fix']],
  ['"on": { "SUCCESS": "Test" }', '"on": { "SUCCESS": ["|"] }', [...BLOCKS, ...WORDS, 'CALL:', 'FORK:', 'JUMP:']],
  ['"to": "Write"', '"to": "|"', [...BLOCKS, ...WORDS]],
  ['"call": "Fix"', '"call": "|"', ['Job', 'Review', 'Fix']],
  ['["Review", "Review"]', '["Review", "|"]', ['Job', 'Review', 'Fix']],
  ['{ "to": "Write", "at_most": 3 }', '{ |}', ['to', 'at_most', 'call', 'all', 'any', 'condition', 'action', 'means']],
  [
    '"to": "Write", "at_most": 3',
    '"to": "Write", |',
    ['at_most', 'call', 'all', 'any', 'condition', 'action', 'means'],
  ],
];

describe('completions', () => {
  test.each(COMPLETED)('%s → %s', (before, after, labels) => {
    const { project, position } = open(before, after);
    expect(complete(project, FILE, position, schema).map(({ label }) => label)).toEqual(labels);
  });

  test('workers are offered with and without their prefix', () => {
    const { project, position } = open('"Mend": { "worker": "Coder"', '"Mend": { "worker": "|"');
    const labels = complete(project, FILE, position, schema).map(({ label }) => label);
    expect(labels).toEqual(
      expect.arrayContaining(['Worker:Coder', 'Coder', 'Internal:TestRunner', 'TestRunner', 'Linter']),
    );
    expect(labels.filter((label) => label === 'Coder')).toHaveLength(1);
  });

  test('the keys of a short row are described', () => {
    const { project, position } = open('{ "to": "Write", "at_most": 3 }', '{ |}');
    const all = complete(project, FILE, position, schema);
    expect(all.filter(({ documentation }) => documentation.length < 20).map(({ label }) => label)).toEqual([]);
  });
});

describe('quick fixes', () => {
  const FIXED: readonly (readonly [before: string, after: string, title: string, text: string])[] = [
    ['"contract": "Write."', '"pro|mpt": "Write."', 'Replace with "contract"', '"contract": "Write."'],
    [
      '"worker": "ManualIntervention"',
      '"worker": "Internal:Hu|man"',
      'Replace with "Internal:ManualIntervention"',
      '"worker": "Internal:ManualIntervention"',
    ],
    [
      '"worker": "ManualIntervention"',
      '"worker": "Hu|man"',
      'Replace with "ManualIntervention"',
      '"worker": "ManualIntervention"',
    ],
    [
      '"kind": "agent", "preset": "claude"',
      '"kind": "cla|ude"',
      'Write "kind": "agent", "preset": "claude"',
      '"kind": "agent", "preset": "claude"',
    ],
    [
      '"kind": "agent", "preset": "claude"',
      '"kind": "co|dex", "preset": "claude"',
      'Write "kind": "agent", "preset": "codex"',
      '"kind": "agent", "preset": "codex"',
    ],
    [
      '"on": { "SUCCESS": "Test" }',
      '"on": { "SUCCESS": "Te|ts" }',
      'Replace with "Test"',
      '"on": { "SUCCESS": "Test" }',
    ],
    ['"on": { "SUCCESS": "Test" }', '"on": { "SUCCESS": "Lo|ok" }', 'Create the block "Look" in Job', '"Look": {'],
    ['"REJECTED": "person"', '"REJECTED": "hum|an"', 'Replace with "person"', '"REJECTED": "person"'],
    ['"to": "Block:Test"', '"to": "Block:Te|ts"', 'Replace with "Test"', '"to": "Block:Test"'],
    ['["Review", "Review"]', '["Review", "Revi|w"]', 'Replace with "Review"', '["Review", "Review"]'],
    ['"call": "Fix"', '"call": "Fx|i"', 'Replace with "Fix"', '"call": "Fix"'],
    [
      '{ "to": "Write", "at_most": 3 }',
      '{ "go|to": "Write", "at_most": 3 }',
      'Replace with "to"',
      '{ "to": "Write", "at_most": 3 }',
    ],
    ['"at_most": 3', '"ma|x": 3', 'Replace with "at_most"', '"at_most": 3'],
  ];

  test.each(FIXED)('%s → %s: %s', (before, after, title, found) => {
    const { project, text, position } = open(before, after);
    expect([...problems(project).values()].flat().length).toBeGreaterThan(0);
    const fixes = quickFixes(project, FILE, { start: position, end: position });
    const fix = fixes.find((one) => one.title === title);
    expect(fixes.map((one) => one.title)).toContain(title);
    expect(applied(text, fix?.edits ?? [])).toContain(found);
  });

  test('an ambiguous worker can be made clear in two ways', () => {
    const { project, text, position } = open('"worker": "TestRunner"', '"worker": "Test|Runner"');
    expect(quickFixes(project, FILE, { start: position, end: position })).toEqual([]);
    const both = createProjects()(
      [{ path: FILE, text: text.replace('"Coder": {', '"TestRunner": { "kind": "ai" },\n    "Coder": {') }],
      FACTS,
    );
    const moved = { line: position.line + 1, character: position.character };
    expect(quickFixes(both, FILE, { start: moved, end: moved }).map(({ title }) => title)).toEqual([
      'Write "Worker:TestRunner"',
      'Write "Internal:TestRunner"',
    ]);
  });

  test('a worker that merges is not replaced: its message names the command', () => {
    const { project } = open('"worker": "ManualIntervention"', '"worker": "Internal:Merge"');
    expect(project.diagnostics.map(({ advice }) => advice)).toEqual([
      'Merging is `robosmith land`, after the run; end the workflow before it, for example with a person who looks.',
    ]);
  });
});

test('references, lenses, outline, hover and edits of wordings know the everyday form', () => {
  const { project, position } = open('"Test": {\n', '"T|est": {\n');
  const document = project.document(FILE);
  if (document === null) throw new Error('no document');
  expect(findReferences(project, FILE, position, true)).toHaveLength(3);
  expect(lenses(project, document).map(({ action, node }) => `${action} ${node}`)).toContain('run Job');
  expect(outline(document).find(({ name }) => name === 'Job')?.detail).toBe('Write');
  expect(hover(project, FILE, position, schema)?.lines).toEqual([
    'Worker: TestRunner',
    'SUCCESS → all of Review, Review, then Ask',
    'FAILURE → Write, at most 3 times',
    'FAILURE → call Fix, then Block:Test, at most 4 times',
  ]);
  const edits = editWording(project, 'Job__Write', new Map([['persona', 'Careful.']]));
  expect(applied(TEXT, edits ?? [])).toMatch(/"Coder": \{[^}]*"persona": "Careful."/);
});
