import { describe, expect, test, vi } from 'vitest';
import { parseOperations } from '#workers/loom/parse-operations.ts';
import { type FilePlan, planFile } from '#workers/loom/plan-file.ts';
import type { JsonObject } from '#protocol/json.ts';
import { verifies } from '../../../e2e/verifies.ts';

function plan(text: string, ...operations: readonly JsonObject[]): FilePlan {
  const parsed = parseOperations(operations.map((one) => ({ path: 'a', ...one })));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return planFile(text, parsed.operations);
}

/**
 * Returns the edited text, or the codes of the problems. Also checks that applying the same operations again changes
 * nothing.
 */
function edited(text: string, ...operations: readonly JsonObject[]): unknown {
  const planned = plan(text, ...operations);
  if (planned.kind === 'refused') return planned.problems.map(({ code }) => code);
  if (planned.kind === 'unchanged') return 'unchanged';
  expect(plan(planned.text, ...operations)).toEqual({ kind: 'unchanged' });
  return planned.text;
}

const problems = (text: string, ...operations: readonly JsonObject[]) => {
  const planned = plan(text, ...operations);
  return planned.kind === 'refused' ? planned.problems : [];
};

const insert = (anchor: string, content: string, position = 'after') => ({ op: 'insert', anchor, content, position });
const block = (start: string, end: string, content: string) => ({ op: 'replaceBlock', start, end, content });
const append = (content: string) => ({ op: 'append', content });
const line = (number: number, content: string, expected?: string) => ({
  op: 'replaceLine',
  line: number,
  content,
  ...(expected === undefined ? {} : { expected }),
});

describe('one operation', () => {
  test.each<[string, string, JsonObject, unknown]>([
    ['a line after a line', 'a\nb\n', insert('a', 'x'), 'a\nx\nb\n'],
    ['its own line break is no second one', 'a\nb\n', insert('a', 'x\n'), 'a\nx\nb\n'],
    ['an anchor with its line break', 'a\nb\n', insert('a\n', 'x'), 'a\nx\nb\n'],
    ['after blanks at the end of the line', 'a \t\nb\n', insert('a', 'x'), 'a \t\nx\nb\n'],
    ['a line before an indented line', '  a\nb\n', insert('a', '  x', 'before'), '  x\n  a\nb\n'],
    ['after the last line without an ending', 'a\nb', insert('b', 'x'), 'a\nb\nx'],
    ['within a line', 'f(a, c)', insert('a', ', b'), 'f(a, b, c)'],
    ['within a line, before', 'f(b)', insert('b', 'a, ', 'before'), 'f(a, b)'],
    ['into a word', 'getUser()', insert('get', 'Big'), 'getBigUser()'],
    ['an anchor that its content has too', 'b\n', insert('b', 'ab'), 'b\nab\n'],
    [
      'white space that is not quite the same',
      'if ( a )  {\n}\n',
      insert('if ( a ) {', '  x;'),
      'if ( a )  {\n  x;\n}\n',
    ],
    ['several lines, spaced otherwise', 'a\n\tb\nc\n', insert('a b', 'x'), 'a\n\tb\nx\nc\n'],
    ['a block on lines of its own', '// <\nold\n// >\n', block('// <', '// >', 'new'), '// <\nnew\n// >\n'],
    ['a block that is emptied', '// <\nold\n// >\n', block('// <', '// >', ''), '// <\n// >\n'],
    ['an indented end', '<\n  old\n  >\n', block('<', '>', '  new\n'), '<\n  new\n  >\n'],
    ['a block within a line', 'f(old)', block('f(', ')', 'new'), 'f(new)'],
    ['a block with its own markers in it', '<a\n>\n', block('<', '>', 'b <> c'), '<b <> c\n>\n'],
    ['the end of a block is looked for after its start', '> <old>', block('<', '>', 'new'), '> <new>'],
    ['at the end', 'a\n', append('x'), 'a\nx\n'],
    ['at the end, without a last line break', 'a', append('x\n'), 'a\nx'],
    ['at the end of nothing', '', append('x'), 'x'],
    ['a line', 'a\nb\nc\n', line(2, 'x'), 'a\nx\nc\n'],
    ['a line by several', 'a\nb\nc\n', line(2, 'x\ny\n'), 'a\nx\ny\nc\n'],
    ['a line by an empty one', 'a\nb\nc\n', line(2, '', 'b'), 'a\n\nc\n'],
    ['the last line', 'a\nb', line(2, 'x', ' b '), 'a\nx'],
  ])('%s', (_what, text, operation, after) => {
    verifies('workers.loom.operations', 'workers.loom.idempotent');
    expect(edited(text, operation)).toBe(after);
  });

  test.each<[string, string, JsonObject]>([
    ['a line', 'a\nx\nb\n', insert('a', 'x')],
    ['a line, with other endings', 'a\r\nx\r\nb\r\n', insert('a', 'x\n')],
    ['the end', 'a\nx\n', append('x')],
    ['the whole', 'x', append('x')],
    ['a line of that number', 'a\nx\n', line(2, 'x', 'b')],
    ['a block', '<x>', block('<', '>', 'x')],
  ])('%s that is there is no edit', (_what, text, operation) => {
    verifies('workers.loom.idempotent');
    expect(edited(text, operation)).toBe('unchanged');
  });
});

describe('what is kept', () => {
  test.each<[string, string, JsonObject, string]>([
    ['Windows endings', 'a\r\nb\r\n', insert('a', 'x\ny'), 'a\r\nx\r\ny\r\nb\r\n'],
    ['old Mac endings', 'a\rb\r', insert('a', 'x'), 'a\rx\rb\r'],
    ['mixed endings, as the line there', 'a\r\nb\nc\r\n', insert('b', 'x'), 'a\r\nb\nx\nc\r\n'],
    ['mixed endings, as the line there (2)', 'a\r\nb\nc\r\n', insert('c', 'x', 'before'), 'a\r\nb\nx\r\nc\r\n'],
    ['mixed endings around a line', 'a\r\nb\nc\r\n', line(2, 'x\ny'), 'a\r\nx\ny\nc\r\n'],
    ['an ending as the one before, at the end', 'a\r\nb', insert('b', 'x'), 'a\r\nb\r\nx'],
    ['tabs', 'f {\n\ta\n\t\tb\n}\n', insert('\ta', '    x\n        y'), 'f {\n\ta\n\tx\n\t\ty\n\t\tb\n}\n'],
    [
      'tabs, content at three levels',
      'for x:\n\tfor y:\n\t\tif x:\n\t\t\ty(x)\n',
      insert('y(x)', '            z(x)'),
      'for x:\n\tfor y:\n\t\tif x:\n\t\t\ty(x)\n\t\t\tz(x)\n',
    ],
    [
      'tabs, content one level less deep',
      'a:\n\tb:\n\t\tc:\n\t\t\td\n',
      insert('d', '   e'),
      'a:\n\tb:\n\t\tc:\n\t\t\td\n\te\n',
    ],
    ['tabs, content below a head', 'a:\n\tif x:\n', insert('if x:', '        y'), 'a:\n\tif x:\n\t\ty\n'],
    ['tabs, a line at two levels', 'a:\n\tb:\n\t\tc\n', line(3, '        d'), 'a:\n\tb:\n\t\td\n'],
    [
      'tabs, two blanks a level',
      'a:\n\tb:\n\t\tc\n',
      insert('c', '    d:\n      e'),
      'a:\n\tb:\n\t\tc\n\t\td:\n\t\t\te\n',
    ],
    ['tabs, eight blanks a level', 'a:\n\tc\n', insert('c', '        d'), 'a:\n\tc\n\td\n'],
    [
      'tabs, content whose first line is not indented',
      'a:\n\tb\n',
      insert('a:\n\tb\n', 'c:\n        d'),
      'a:\n\tb\nc:\n\td\n',
    ],
    ['spaces', 'f {\n    a\n}\n', insert('    a', '\tx\n\t\ty'), 'f {\n    a\n    x\n        y\n}\n'],
    ['both, where a file has both', '\ta\n  b\n', insert('b', '    x'), '\ta\n  b\n    x\n'],
  ])('%s', (_what, text, operation, after) => {
    verifies('workers.loom.preserves');
    expect(edited(text, operation)).toBe(after);
  });
});

test.each([
  insert('d', '          e'),
  insert('d', '                    e'),
  { op: 'insert', anchor: 'd', position: 'after', content: '       e' },
])('content with blanks that fit no level of a file with tabs is refused: %j', (operation) => {
  expect(edited('a:\n\tb:\n\t\tc:\n\t\t\td\n', operation)).toEqual(['unclear_indentation']);
});

/** Two numbers of blanks a level would put the content at a possible level, or none does. */
test.each([
  ['\t\t\ty(i)', '        z()'],
  ['\t\tfor i in x:\n\t\t\ty(i)', '    z()'],
  ['\t\tfor i in x:', '        z()'],
  ['\t\treturn', '    z()'],
])('content with blanks at a place where its level is ambiguous is refused: below %j', (anchor, content) => {
  const text = 'def f():\n\tif a:\n\t\tfor i in x:\n\t\t\ty(i)\n\t\treturn\n';
  expect(edited(text, insert(anchor, content))).toEqual(['unclear_indentation']);
});

describe('the ends of a file', () => {
  const conflict = '<<<<<<< ours\nimport a\n=======\nimport b\n>>>>>>> theirs\ncode\n';
  test.each<[string, string, JsonObject, string]>([
    ['the first line is removed', 'a\nb\nc\n', block('', 'b', ''), 'b\nc\n'],
    ['the first lines are replaced', 'a\nb\nc\n', block('', 'c', 'x\ny'), 'x\ny\nc\n'],
    ['the last line is removed', 'a\nb\nc\n', block('b', '', ''), 'a\nb\n'],
    ['the last line is removed, where it has no end', 'a\nb\nc', block('b', '', ''), 'a\nb'],
    ['the last line is replaced, where it has no end', 'a\nb\nc', block('b', '', 'x\n'), 'a\nb\nx'],
    ['line ends stay', 'a\r\nb\r\nc\r\n', block('', 'b', 'x\n'), 'x\r\nb\r\nc\r\n'],
    [
      'a conflict in line 1 is resolved',
      conflict,
      block('', 'code', 'import a\nimport b\n'),
      'import a\nimport b\ncode\n',
    ],
  ])('%s', (_what, text, operation, after) => {
    expect(edited(text, operation)).toBe(after);
  });

  test.each([block('', '', 'x'), block(' ', 'b', 'x'), block('a', '\n', 'x')])('%j is refused', (operation) => {
    expect(parseOperations([{ path: 'a', ...operation }])).toMatchObject({
      ok: false,
      problems: [{ code: 'bad_operation' }],
    });
  });
});

describe('an anchor', () => {
  test('that is there twice is listed with every line, and nothing is changed', () => {
    verifies('workers.loom.one-match');
    const [found] = problems('x = 1\ny\n  x = 1;\n', insert('x = 1', 'z'));
    expect(found).toMatchObject({
      code: 'ambiguous_anchor',
      operation: 1,
      path: 'a',
      matches: [
        { line: 1, text: 'x = 1' },
        { line: 3, text: '  x = 1;' },
      ],
    });
  });

  test('that overlaps itself is there twice', () => {
    expect(edited('aaa', insert('aa', '\n'))).toEqual(['ambiguous_anchor']);
  });

  test('that is there once literally is not looked for with other white space', () => {
    expect(edited('a  b\na b\n', insert('a b', 'x'))).toBe('a  b\na b\nx\n');
    expect(edited('a  b\na\tb\n', insert('a b', 'x'))).toEqual(['ambiguous_anchor']);
  });

  test('that is not there is answered with the lines that are nearest', () => {
    verifies('workers.loom.one-match');
    const text = 'import { a } from "a";\nfunction compute(x) {\n  return x;\n}\n';
    const [found] = problems(text, insert('function computed(y) {', 'z'));
    expect(found).toMatchObject({ code: 'anchor_not_found', matches: [] });
    expect(found?.nearest[0]).toEqual({ line: 2, text: 'function compute(x) {' });
  });

  test('of a block must be unique on either side', () => {
    expect(edited('<\n<\n>\n', block('<', '>', 'x'))).toEqual(['ambiguous_anchor']);
    expect(edited('<\n>\n>\n', block('<', '>', 'x'))).toEqual(['ambiguous_anchor']);
    expect(edited('>\n<\n', block('<', '>', 'x'))).toEqual(['anchor_not_found']);
    expect(edited('>\n', block('<', '>', 'x'))).toEqual(['anchor_not_found']);
  });

  test('that is very long, and nearly everywhere, takes no longer', () => {
    const text = 'a'.repeat(200_000);
    const [found] = problems(text, insert(`b${'a'.repeat(20_000)}`, 'x'));
    expect(found?.code).toBe('anchor_not_found');
  });
});

test('a file is normalised once, however many anchors are not there literally', () => {
  const text = Array.from({ length: 2_000 }, (_, index) => `const  value${index} = 1;\n`).join('');
  const anchors = Array.from({ length: 50 }, (_, index) =>
    insert(`const value${index * 7} =`, `// ${index}`, 'before'),
  );
  const replace = vi.spyOn(String.prototype, 'replace');
  const planned = plan(text, ...anchors);
  const whole = replace.mock.contexts.filter((one) => String(one).length >= text.length);
  replace.mockRestore();
  expect(planned).toMatchObject({ kind: 'changed', edits: 50 });
  // The limit covers the normalisation of both the original and the resulting text.
  expect(whole.length).toBeLessThanOrEqual(4);
});

describe('a line', () => {
  test('that is not as expected is told as it is, with the lines that are', () => {
    verifies('workers.loom.one-match');
    expect(problems('a\nb\nb\n', line(1, 'x', 'b'))[0]).toMatchObject({
      code: 'line_changed',
      message: 'line 1 differs from "expected"; it is: a',
      matches: [
        { line: 2, text: 'b' },
        { line: 3, text: 'b' },
      ],
    });
  });

  test('past the end is not there', () => {
    expect(problems('a\n', line(2, 'x'))[0]?.message).toBe('there is no line 2: the number of lines is 1');
    expect(edited('', line(1, 'x'))).toEqual(['line_not_found']);
  });
});

describe('a list', () => {
  test('is applied as one: numbers of lines are those of before', () => {
    verifies('workers.loom.operations', 'workers.loom.idempotent');
    expect(edited('a\nb\nc\nd\n', insert('a', 'x\ny'), line(3, 'C\nC2'), line(4, 'D'), append('e'))).toBe(
      'a\nx\ny\nb\nC\nC2\nD\ne\n',
    );
  });

  test('tells all that is wrong with it at once', () => {
    expect(edited('a\na\n', insert('a', 'x'), insert('b', 'x'), line(9, 'x'))).toEqual([
      'ambiguous_anchor',
      'anchor_not_found',
      'line_not_found',
    ]);
  });

  test.each<[string, readonly JsonObject[]]>([
    ['one line twice', [line(1, 'x'), line(1, 'y')]],
    ['a line within a block', [block('a', 'd', 'x'), line(2, 'y')]],
    ['an insertion within a block', [block('a', 'd', 'x'), insert('b', 'y')]],
    ['two insertions at one place', [insert('a', 'x'), insert('a', 'y')]],
    ['the line that another one is found by', [line(1, 'x'), insert('a', 'y')]],
    ['two blocks that share a marker', [block('a', 'c', 'x'), block('b', 'd', 'y')]],
  ])('with edits that overlap is refused: %s', (_what, operations) => {
    expect(edited('a\nb\nc\nd\n', ...operations)).toEqual(['overlapping_edits']);
  });

  test.each([
    ['', 'x\n\ny\nz\n'],
    ['a\n', 'a\nx\n\ny\nz\n'],
    ['a', 'a\nx\n\ny\nz'],
  ])('appends several times in its order, and counts each (to %j)', (before, text) => {
    verifies('workers.loom.operations', 'workers.loom.idempotent');
    const list = [append('x'), append('\ny'), append('z\n')];
    expect(plan(before, ...list)).toEqual({ kind: 'changed', edits: 3, text });
    expect(plan(text, ...list)).toEqual({ kind: 'unchanged' });
  });

  test('of which some are there makes the others', () => {
    verifies('workers.loom.idempotent');
    expect(plan('a\nx\nb\n', insert('a', 'x'), insert('b', 'y'))).toEqual({
      kind: 'changed',
      edits: 1,
      text: 'a\nx\nb\ny\n',
    });
  });

  test('that could not be told from one that is still to be made is refused', () => {
    verifies('workers.loom.idempotent');
    expect(edited('a\nb\nc\nd\n', block('a', 'c', 'x\ny\nz'), line(4, 'D'))).toEqual(['not_repeatable']);
    expect(edited('a\nb\n', insert('a', 'b q'), insert('b', 'x'))).toEqual(['not_repeatable']);
  });

  test('that would make one ending of two halves is refused', () => {
    expect(edited('q\rZ\n', insert('Z', '\nx', 'before'))).toEqual(['mixed_endings']);
    expect(edited('q\rZ\n', insert('Z', 'x', 'before'))).toBe('q\rxZ\n');
  });
});
