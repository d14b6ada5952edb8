import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import {
  complete,
  createProjects,
  findDefinition,
  findReferences,
  hover,
  quickFixes,
  rename,
  type Location,
  type TextEdit,
} from '#language/index.ts';
import { FACTS, offsetOf, schema } from './fixture.ts';

const MAIN = '.vision/workflows.json';
const REVIEW = '.vision/review.json';

const MAIN_TEXT = `{
  "version": 1,
  "entry": "Build",
  "imports": [{ "from": "./review.json", "as": "Security", "with": { "focus": "secrets" } }],
  "commands": { "unit": ["make", "test"] },
  "inputs": { "goal": { "description": "What to build." } },
  "default_transitions": { "FAIL_DEFAULT": "HALT_AND_FLAG", "LATER": "JUMP:Build__Decide" },
  "nodes": {
    "Build": {
      "entry_block": "Write",
      "blocks": {
        "Write": {
          "worker": "Internal:ManualIntervention",
          "check": { "command": "unit", "attempts": 2 },
          "on": { "SUCCESS": "FORK:Security:Decide", "SIGNAL:LATER": "JUMP:Write" }
        },
        "Decide": {
          "worker": "Internal:Verdict",
          "params": { "rule": "all" },
          "check": "unit",
          "on": {
            "SUCCESS": "RETURN",
            "LATER": [{ "condition": { "id": "returned.any", "args": ["SIGNAL:FAILURE"] }, "action": "JUMP:Write" }, "CALL:Security"]
          }
        }
      }
    }
  }
}
`;

const REVIEW_TEXT = `{
  "version": 1,
  "parameters": { "focus": { "description": "What is looked at." } },
  "nodes": {
    "Review": {
      "entry_block": "Read",
      "blocks": {
        "Read": {
          "worker": "Internal:ManualIntervention",
          "contract": "Look at {{focus}}.",
          "on": { "SUCCESS": "RETURN", "LATER": "RETURN", "FAIL_DEFAULT": "RETURN" }
        }
      }
    }
  }
}
`;

/** A change of a file, with the cursor in `after`. `before` must occur exactly once. */
function open(before: string, after: string, file = MAIN) {
  const texts = new Map([
    [MAIN, MAIN_TEXT],
    [REVIEW, REVIEW_TEXT],
  ]);
  const text = texts.get(file) ?? '';
  if (text.split(before).length !== 2) throw new Error(`${before} is there ${text.split(before).length - 1} times`);
  const marked = text.replace(before, () => after);
  const offset = text.indexOf(before) + Math.max(0, after.indexOf('|'));
  texts.set(file, after.includes('|') ? marked.slice(0, offset) + marked.slice(offset + 1) : marked);
  const lines = marked.slice(0, offset).split('\n');
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const facts = { ...FACTS, commands: { lint: ['eslint'] } };
  const project = createProjects()(
    [...texts].map(([path, content]) => ({ path, text: content })),
    facts,
  );
  return { project, texts, file, position, facts };
}

type Opened = ReturnType<typeof open>;

const shown = ({ texts }: Opened, { file, range }: Location): string => {
  const text = texts.get(file) ?? '';
  const place = text.slice(offsetOf(text, range.start), offsetOf(text, range.end));
  return `${file === MAIN ? 'main' : 'review'}:${range.start.line + 1}: ${place}`;
};

function edited({ texts }: Opened, edits: readonly TextEdit[]): ReadonlyMap<string, string> {
  const changed = new Map(texts);
  const last = [...edits].sort(
    ({ range: { start: left } }, { range: { start: right } }) =>
      right.line - left.line || right.character - left.character,
  );
  for (const { file, range, newText } of last) {
    const text = changed.get(file) ?? '';
    changed.set(file, text.slice(0, offsetOf(text, range.start)) + newText + text.slice(offsetOf(text, range.end)));
  }
  return changed;
}

const codesOf = (texts: ReadonlyMap<string, string>, facts: Opened['facts']): readonly string[] =>
  compile(
    [...texts].map(([path, text]) => ({ path, text })),
    facts,
  ).diagnostics.map(({ code }) => code);

test('the manifest of these tests has no findings', () => {
  const { texts, facts } = open('"entry"', '|"entry"');
  expect(codesOf(texts, facts)).toEqual([]);
});

const STANDARD = ['SUCCESS', 'FAILURE', 'FAIL_DEFAULT', 'ERROR', 'TIMEOUT', 'VALIDATION_FAIL', 'NO_SIGNAL'];
const BLOCKS = ['Write', 'Decide'];

describe('completions of the newer keys', () => {
  test.each<[string, string, readonly string[]]>([
    ['"check": "unit"', '"check": "|"', ['unit', 'lint']],
    ['"check": "unit"', '"check": "un|"', ['unit', 'lint']],
    ['"command": "unit"', '"command": "|"', ['unit', 'lint']],
    ['"command": "unit", "attempts": 2', '"command": "unit", |', ['attempts', 'timeout_ms', 'allow_empty', 'sandbox']],
    ['"SIGNAL:LATER": "JUMP:Write"', '"|"', STANDARD.slice(1).concat('LATER')],
    ['"SUCCESS": "FORK:Security:Decide", ', '"SUCCESS": "FORK:|", ', ['Build', 'Security', 'Review']],
    ['"SUCCESS": "FORK:Security:Decide", ', '"SUCCESS": "FORK:Security:|", ', [...BLOCKS, 'Review__Read']],
    ['"action": "JUMP:Write"', '"action": "JUMP:|"', [...BLOCKS, 'Review__Read']],
    ['"id": "returned.any"', '"id": "returned|"', ['returned.all', 'returned.any', 'returned.count', 'tests.green']],
    [
      '"LATER": "JUMP:Build__Decide"',
      '"|": "JUMP:Build__Decide"',
      [...STANDARD.filter((one) => one !== 'FAIL_DEFAULT'), 'LATER'],
    ],
    ['"LATER": "JUMP:Build__Decide"', '"LATER": "CALL:|"', ['Build', 'Security', 'Review']],
    ['"with": { "focus": "secrets" }', '"with": { | }', ['focus']],
    ['"goal": { "description": "What to build." }', '"goal": { | }', ['type', 'enum', 'default', 'description']],
  ])('%s → %s', (before, after, expected) => {
    const { project, file, position } = open(before, after);
    const found = complete(project, file, position, schema).map(({ label }) => label);
    expect(found).toEqual(expect.arrayContaining([...expected]));
    if (!after.includes('returned') && !after.includes('goal')) expect(found).toHaveLength(expected.length);
  });
});

describe('definitions', () => {
  test.each<[string, string, readonly string[]]>([
    ['"check": "unit"', '"check": "u|nit"', ['main:5: unit']],
    ['"command": "unit"', '"command": "u|nit"', ['main:5: unit']],
    ['"FORK:Security:Decide"', '"FORK:Sec|urity:Decide"', ['main:4: Security']],
    ['"FORK:Security:Decide"', '"FORK:Security:De|cide"', ['main:17: Decide']],
    ['"CALL:Security"', '"CALL:Sec|urity"', ['main:4: Security']],
    ['"JUMP:Build__Decide"', '"JUMP:Build__De|cide"', ['main:17: Decide']],
    ['"action": "JUMP:Write"', '"action": "JUMP:Wr|ite"', ['main:12: Write']],
    ['"from": "./review.json"', '"from": "./rev|iew.json"', ['review:1: ']],
  ])('%s → %s', (before, after, expected) => {
    const opened = open(before, after);
    const found = findDefinition(opened.project, opened.file, opened.position);
    expect(found.map((one) => shown(opened, one))).toEqual(expected);
  });
});

describe('references', () => {
  test.each<[string, string, readonly string[]]>([
    ['"unit": [', '"u|nit": [', ['main:5: unit', 'main:14: unit', 'main:20: unit']],
    ['"as": "Security"', '"as": "Sec|urity"', ['main:4: Security', 'main:15: Security', 'main:23: Security']],
    [
      '"SIGNAL:LATER"',
      '"SIGNAL:L|ATER"',
      ['main:7: LATER', 'main:15: SIGNAL:LATER', 'main:23: LATER', 'review:11: LATER'],
    ],
    ['"LATER": [', '"LA|TER": [', ['main:7: LATER', 'main:15: SIGNAL:LATER', 'main:23: LATER', 'review:11: LATER']],
  ])('%s → %s', (before, after, expected) => {
    const opened = open(before, after);
    const found = findReferences(opened.project, opened.file, opened.position, true);
    expect(found.map((one) => shown(opened, one))).toEqual(expected);
  });
});

describe('rename through imports and rows by signal', () => {
  test.each<[string, string, string, number]>([
    ['"unit": [', '"u|nit": [', 'checks', 3],
    ['"as": "Security"', '"as": "Sec|urity"', 'Secrets', 3],
    ['"LATER": [', '"LA|TER": [', 'SIGNAL:AGAIN', 4],
    ['"SIGNAL:LATER"', '"SIGNAL:L|ATER"', 'SIGNAL:AGAIN', 4],
    ['"action": "JUMP:Write"', '"action": "JUMP:Wr|ite"', 'Draft', 4],
    ['"JUMP:Build__Decide"', '"JUMP:B|uild__Decide"', 'Make', 3],
  ])('%s → %s as %s', (before, after, name, places) => {
    const opened = open(before, after);
    const result = rename(opened.project, opened.file, opened.position, name);
    const edits = result.ok ? result.edits : [];
    expect(edits).toHaveLength(places);
    expect(codesOf(edited(opened, edits), opened.facts)).toEqual([]);
  });

  test('a signal keeps its short form', () => {
    const opened = open('"LATER": [', '"LA|TER": [');
    const result = rename(opened.project, opened.file, opened.position, 'SIGNAL:AGAIN');
    expect(result.ok ? result.edits.map(({ newText }) => newText) : []).toEqual([
      ...['AGAIN', 'SIGNAL:AGAIN', 'AGAIN', 'AGAIN'],
    ]);
  });
});

describe('hover', () => {
  test.each<[string, string, string]>([
    ['"check": "unit"', '"ch|eck": "unit"', 'check'],
    ['"check": "unit"', '"check": "u|nit"', 'command unit'],
    ['"LATER": [', '"LA|TER": [', 'signal SIGNAL:LATER'],
    ['"id": "returned.any"', '"id": "retur|ned.any"', 'condition returned.any'],
    ['"default_transitions"', '"default_|transitions"', 'default_transitions'],
    ['"inputs"', '"inp|uts"', 'inputs'],
    ['"with": {', '"wi|th": {', 'with'],
  ])('%s → %s', (before, after, title) => {
    const { project, file, position } = open(before, after);
    expect(hover(project, file, position, schema)?.title).toBe(title);
  });
});

const NO_DEFAULTS = '"default_transitions": { "FAIL_DEFAULT": "HALT_AND_FLAG", "LATER": "JUMP:Build__Decide" },';

/** Cases: a text, its replacement with the cursor at the finding, its code, and the titles of its fixes. */
const FIXED: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['"check": "unit"', '"check": "un|ti"', 'RS2053', ['Replace with "unit"', 'Declare the command "unti"']],
  ['"command": "unit"', '"command": "other|"', 'RS2053', ['Declare the command "other"']],
  ['"attempts": 2', '"attem|pt": 2', 'RS1010', ['Replace with "attempts"', 'Remove "attempt"']],
  [
    '"SUCCESS": "FORK:Security:Decide", ',
    '"SUCCESS": "FORK:Securty|:Decide", ',
    'RS2014',
    ['Replace with "Security"', 'Create the node "Securty"'],
  ],
  [
    '"action": "JUMP:Write"',
    '"action": "JUMP:Wri|et"',
    'RS2013',
    ['Replace with "Write"', 'Create the block "Wriet" in Build'],
  ],
  ['"id": "returned.any"', '"id": "returned.an|i"', 'RS2017', ['Replace with "returned.any"']],
  ['"focus": "secrets"', '"foc|us_": "secrets", "focus": "a"', 'RS2060', ['Replace with "focus"', 'Remove "focus_"']],
  ['"SIGNAL:LATER": "JUMP:Write"', '"SIGNAL:LATER": "JUMP:Write", "LA|TER": "RETURN"', 'RS2055', ['Remove "LATER"']],
  [
    '"SUCCESS": "FORK:Security:Decide", ',
    '"SUCCESS": "FORK:Security:Decide", "FAILURE": ["RETURN", |{ "action": "JUMP:Write" }], ',
    'RS4005',
    ['Remove the row'],
  ],
  [
    '"SUCCESS": "FORK:Security:Decide", ',
    '"SUCCESS": ["FORK:Security:Decide", "JUMP|:Write"], ',
    'RS4005',
    ['Remove the row'],
  ],
  [
    '"on": { "SUCCESS": "FORK:',
    '"o|nSuccess": { "type": "return" }, "on": { "SUCCESS": "FORK:',
    'RS2010',
    ['Remove "onSuccess"'],
  ],
  [NO_DEFAULTS, '', 'RS4002', ['Add a row that halts on any other signal']],
  [
    '"inputs": { "goal": { "description"',
    '"inputs": { "goal": { "descrip|tio"',
    'RS1010',
    ['Replace with "description"', 'Remove "descriptio"'],
  ],
];

describe('quick fixes of the newer keys', () => {
  test.each(FIXED)('%s → %s', (before, after, code, titles) => {
    const opened = open(before, after);
    const found = opened.project.diagnostics.find((one) => one.code === code && one.file === MAIN);
    expect(found?.code).toBe(code);
    const at = after.includes('|')
      ? { start: opened.position, end: opened.position }
      : { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const fixes = quickFixes(opened.project, MAIN, at).filter((one) => one.code === code);
    expect([...new Set(fixes.map(({ title }) => title))]).toEqual(titles);
    const count = (codes: readonly string[]): number => codes.filter((one) => one === code).length;
    for (const { edits } of fixes) {
      const left = codesOf(edited(opened, edits), opened.facts);
      expect(count(left)).toBe(count(codesOf(opened.texts, opened.facts)) - 1);
      expect(left).not.toContain('RS2010');
    }
  });

  test('an unused parameter of an imported file is removed there, and the used one stays', () => {
    const opened = open('"parameters": { "focus"', '"parameters": { "un|used": { "default": "a" }, "focus"', REVIEW);
    const at = { start: opened.position, end: opened.position };
    const fixes = quickFixes(opened.project, REVIEW, at);
    expect(fixes.map(({ code, title }) => [code, title])).toEqual([['RS4014', 'Remove "unused"']]);
    const mended = edited(opened, fixes[0]?.edits ?? []);
    expect(JSON.parse(mended.get(REVIEW) ?? '')).toEqual(JSON.parse(REVIEW_TEXT));
    expect(codesOf(mended, opened.facts)).toEqual([]);
  });

  test.each([
    [
      '"from": "./review.json", "as": "Security", "with": { "focus": "secrets" }',
      '"from": "./review.json|", "as": "Security"',
    ],
    ['{ "from": "./review.json", "as": "Security", "with": { "focus": "secrets" } }', '"./review.json|"'],
  ])('a missing argument is given: %s → %s', (before, after) => {
    const opened = open(before, after);
    const at = { start: opened.position, end: opened.position };
    const [fix] = quickFixes(opened.project, MAIN, at).filter((one) => one.code === 'RS2061');
    expect(fix?.title).toBe('Give "focus" a value');
    expect(codesOf(edited(opened, fix?.edits ?? []), opened.facts)).not.toContain('RS2061');
  });
});
