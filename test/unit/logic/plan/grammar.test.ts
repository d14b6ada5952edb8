import { describe, expect, test } from 'vitest';
import { headerOf } from '#logic/plan/header.ts';
import { renderTree } from '#logic/plan/render-status.ts';
import { walkTasks } from '#logic/plan/walk-tasks.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { problemLines, treeOf } from './tree-of.ts';

/** Formats each task as `<depth> <status> <name> @ <reference> {<key>: <value>}`. */
const shown = (text: string, others: Readonly<Record<string, string>> = {}): readonly string[] =>
  Array.from(walkTasks(treeOf(text, others).tree), ({ path, task: { status, name, reference, metadata } }) =>
    [
      ...[path.length - 1, status, name],
      ...(reference === null ? [] : [`@ ${reference}`]),
      ...(metadata.size === 0 ? [] : [`{${Array.from(metadata, ([key, value]) => `${key}: ${value}`).join(', ')}}`]),
    ].join(' '),
  );

const FLOW = '<!-- type: flow -->';

const GOOD: Readonly<Record<string, readonly [text: string, shown: readonly string[]]>> = {
  'nothing at all': ['', []],
  'only a header': ['Project: X\n', []],
  'every marker': [
    '- [ ] a\n- [/] b\n- [x] c\n- [X] d\n- [v] e\n- [-] f\n- [!] g\n',
    ['0 pending a', '0 active b', '0 done c', '0 done d', '0 done e', '0 skipped f', '0 failed g'],
  ],
  'four blanks a level': [
    '- [ ] a\n    - [ ] b\n        - [ ] c\n- [ ] d',
    ['0 pending a', '1 pending b', '2 pending c', '0 pending d'],
  ],
  'line ends of Windows': ['Project: X\r\n\r\n- [ ] a\r\n    - [ ] b\r\n', ['0 pending a', '1 pending b']],
  'no line end at the end': ['- [ ] a', ['0 pending a']],
  'brackets in a name are text': ['- [ ] [git] commit [x] and [ ]', ['0 pending [git] commit [x] and [ ]']],
  'a dash in a name is text': ['- [ ] a - [x] b', ['0 pending a - [x] b']],
  'a name in code': ['- [ ] `- [x] a`', ['0 pending `- [x] a`']],
  'the same name below another task': [
    '- [ ] a\n    - [ ] a\n- [ ] b\n    - [ ] a',
    ['0 pending a', '1 pending a', '0 pending b', '1 pending a'],
  ],
  'a name that differs by an invisible character is another one': [
    '- [ ] a\n- [ ] a\u200b',
    ['0 pending a', '0 pending a\u200b'],
  ],
  'a name of another script': ['- [ ] Übung 日本語 🙂', ['0 pending Übung 日本語 🙂']],
  metadata: [
    '- [ ] a <!-- type: flow, node: Feature_Implement, retries: 2 -->',
    ['0 pending a {type: flow, node: Feature_Implement, retries: 2}'],
  ],
  'metadata without blanks': ['- [ ] a <!--type:flow-->', ['0 pending a {type: flow}']],
  'metadata of somebody else': [
    '- [ ] a <!-- owner: Bob, due: 2027-01-01 -->',
    ['0 pending a {owner: Bob, due: 2027-01-01}'],
  ],
  'metadata of somebody else with a key in capitals': [
    '- [ ] a <!-- Type: Bug, Node: 24 -->',
    ['0 pending a {Type: Bug, Node: 24}'],
  ],
  'a colon in a value': ['- [ ] a <!-- at: 10:30 -->', ['0 pending a {at: 10:30}']],
  'another comment': ['- [ ] a <!-- ask Bob -->', ['0 pending a']],
  'two other comments': ['- [ ] a <!-- ask Bob --> <!-- or Eve -->', ['0 pending a']],
  'an empty comment': ['- [ ] a <!-- -->', ['0 pending a']],
  'a comment inside of the name is text': [`- [ ] a ${FLOW} b`, [`0 pending a ${FLOW} b`]],
  'metadata in a code span is text': [`- [ ] explain \`${FLOW}\``, [`0 pending explain \`${FLOW}\``]],
  'metadata in a code span of two': [`- [ ] explain \`\`a \` ${FLOW}\`\``, [`0 pending explain \`\`a \` ${FLOW}\`\``]],
  'a comment that begins in a code span': ['- [ ] `a <!-- type: ` flow -->', ['0 pending `a <!-- type: ` flow -->']],
  'a lone backtick opens nothing': [`- [ ] it\`s ${FLOW}`, ['0 pending it`s {type: flow}']],
  'runs of another length close nothing': [`- [ ] \`a\`\` ${FLOW}`, ['0 pending `a`` {type: flow}']],
  'an escaped backtick opens nothing': [`- [ ] \\\`a ${FLOW} \``, [`0 pending \\\`a ${FLOW} \``]],
  'metadata behind an escaped backtick': [`- [ ] \\\`a\` ${FLOW}`, ['0 pending \\`a` {type: flow}']],
  'metadata on a line of its own': [`- [ ] a\n${FLOW}\n    ${FLOW}`, ['0 pending a']],
  'metadata in a code block': [
    `- [ ] a\n    \`\`\`md\n    - [ ] b ${FLOW}\n    \`\`\`\n- [ ] c`,
    ['0 pending a', '0 pending c'],
  ],
  'a code block of tildes': ['- [ ] a\n~~~\n```\n\t- [q] b\n~~~\n- [ ] c', ['0 pending a', '0 pending c']],
  'a code block in the head': ['```\n- [ ] b\n```\n- [ ] c', ['0 pending c']],
  'a comment of several lines': ['<!--\n- [ ] b\n-->\n- [ ] c', ['0 pending c']],
  'prose and headings': ['# Plan\n\nProject: X\n\n- [ ] a\n\nSome words.\n- [ ] b', ['0 pending a', '0 pending b']],
  'an unclosed comment in a name': ['- [ ] a <!-- b', ['0 pending a <!-- b']],
  'a reference': ['- [ ] a @ sub_flows/task_1.md', ['0 pending a @ sub_flows/task_1.md']],
  'a reference in quotes': ['- [ ] a @ "sub flows/task 1.md"', ['0 pending a @ sub flows/task 1.md']],
  'a reference and metadata': [`- [ ] a @ c.md ${FLOW}`, ['0 pending a @ c.md {type: flow}']],
  'an at sign that is no reference': ['- [ ] meet Bob @ 5pm', ['0 pending meet Bob @ 5pm']],
  'a mail address': ['- [ ] write to a@b.md', ['0 pending write to a@b.md']],
  'a reference in a code span is text': ['- [ ] explain `a @ b.md`', ['0 pending explain `a @ b.md`']],
  'the last at sign counts': ['- [ ] a @ b @ c.md', ['0 pending a @ b @ c.md']],
  'children from a file': [
    '- [ ] a @ b.md\n- [ ] d',
    ['0 pending a @ b.md', '1 pending b', '2 pending c', '0 pending d'],
  ],
  'a missing file of a task that waits': ['- [ ] a @ none.md', ['0 pending a @ none.md']],
  'a skipped parent with open children': ['- [-] a\n    - [ ] b', ['0 skipped a', '1 pending b']],
};

const BAD: Readonly<
  Record<string, readonly [text: string, problems: readonly string[], others?: Readonly<Record<string, string>>]>
> = {
  'two blanks': ['- [ ] a\n  - [ ] b', [':2 tasks_bad_indentation']],
  'a level too deep': ['- [ ] a\n        - [ ] b', [':2 tasks_bad_indentation']],
  'the first one is indented': ['    - [ ] a', [':1 tasks_bad_indentation']],
  'a tab before it': ['- [ ] a\n\t- [ ] b', [':2 tasks_tab']],
  'a tab behind the dash': ['-\t[ ] a', [':1 tasks_tab']],
  'a tab in the name': ['- [ ] a\tb', [':1 tasks_tab']],
  'no marker': ['- a', [':1 tasks_missing_marker']],
  'no marker, but a link': ['- [a](b.md)', [':1 tasks_missing_marker']],
  'another bullet': ['* [ ] a\n+ [ ] b', [':1 tasks_missing_marker', ':2 tasks_missing_marker']],
  'numbered items': [
    '1. [ ] a\n  2) [x] b\n3.[ ] c',
    [':1 tasks_missing_marker', ':2 tasks_missing_marker', ':3 tasks_missing_marker'],
  ],
  'no blank behind the marker': ['- [x]a', [':1 tasks_missing_marker']],
  'no blank behind the dash': ['-[ ] a', [':1 tasks_missing_marker']],
  'a lone dash': ['-', [':1 tasks_missing_marker']],
  'a marker that nobody knows': ['- [?] a', [':1 tasks_unknown_marker']],
  'a large V': ['- [V] a', [':1 tasks_unknown_marker']],
  'an empty marker': ['- [] a', [':1 tasks_unknown_marker']],
  'two signs': ['- [xx] a', [':1 tasks_unknown_marker']],
  'a wide blank as a marker': ['- [\u3000] a', [':1 tasks_unknown_marker']],
  'no name': ['- [ ]', [':1 tasks_missing_name']],
  'metadata and no name': [`- [ ] ${FLOW}`, [':1 tasks_missing_name']],
  'a done parent with an open child': ['- [x] a\n    - [ ] b', [':1 tasks_unfinished_child']],
  'a done parent with a failed child': ['- [x] a\n    - [x] b\n    - [!] c', [':1 tasks_unfinished_child']],
  'a done parent whose file is not done': ['- [x] a @ b.md', [':1 tasks_unfinished_child'], { 'b.md': '- [ ] c' }],
  'two active siblings': ['- [/] a\n- [ ] b\n- [/] c', [':3 tasks_two_active']],
  'two siblings of one name': ['- [ ] a\n- [ ] b\n- [x] a', [':3 tasks_duplicate_name']],
  'two of one name in a file': ['- [ ] a @ b.md', ['b.md:2 tasks_duplicate_name'], { 'b.md': '- [ ] c\n- [ ] c' }],
  'a reference upwards': ['- [ ] a @ ../b.md', [':1 tasks_bad_reference']],
  'a reference upwards without an ending': ['- [ ] a @ ../../etc/passwd', [':1 tasks_bad_reference']],
  'an absolute reference': ['- [ ] a @ /b.md', [':1 tasks_bad_reference']],
  'a reference to a drive': ['- [ ] a @ C:\\b.md', [':1 tasks_bad_reference']],
  'a reference of Windows': ['- [ ] a @ sub_flows\\b.md', [':1 tasks_bad_reference']],
  'a reference with a protocol': ['- [ ] a @ https://example.org/b.md', [':1 tasks_bad_reference']],
  'a reference that is hidden in a file': [
    '- [ ] a @ b.md',
    ['b.md:1 tasks_bad_reference'],
    { 'b.md': '- [ ] c @ ../d.md' },
  ],
  'tasks below a reference': ['- [ ] a @ b.md\n    - [ ] c', [':1 tasks_bad_reference'], { 'b.md': '' }],
  'an active task whose file is missing': ['- [/] a @ none.md', [':1 tasks_missing_reference']],
  'a file that leads to itself': ['- [ ] a @ b.md', ['b.md:1 tasks_reference_cycle'], { 'b.md': '- [ ] c @ b.md' }],
  'a file that leads to the root': [
    '- [ ] a @ b.md',
    ['b.md:1 tasks_reference_cycle'],
    { 'b.md': '- [ ] c @ status.md' },
  ],
  'the root by another spelling': ['- [ ] a @ STATUS.md', [':1 tasks_reference_cycle']],
  'a longer way around': [
    '- [ ] a @ b.md',
    ['c.md:1 tasks_reference_cycle'],
    { 'b.md': '- [ ] b @ c.md', 'c.md': '- [ ] c @ b.md' },
  ],
  'one file for two tasks': ['- [ ] a @ b.md\n- [ ] c @ b.md', [':2 tasks_reference_twice'], { 'b.md': '' }],
  'metadata that is none': ['- [ ] a <!-- type: flow, and so on -->', [':1 tasks_bad_metadata']],
  'a key that is given twice': ['- [ ] a <!-- type: flow, type: task -->', [':1 tasks_bad_metadata']],
  'retries that are no number': ['- [ ] a <!-- retries: many -->', [':1 tasks_bad_metadata']],
  'metadata before another comment': [`- [ ] a ${FLOW} <!-- ask Bob -->`, [':1 tasks_bad_metadata']],
  'metadata twice': [`- [ ] a ${FLOW} <!-- node: B -->`, [':1 tasks_bad_metadata']],
  'a node without the type': ['- [ ] a <!-- node: B -->', [':1 tasks_bad_metadata']],
  'a flow in capitals': ['- [ ] a <!-- type: Flow -->', [':1 tasks_bad_metadata']],
  'keys in capitals': [
    '- [ ] a <!-- TYPE: flow -->\n- [ ] b <!-- type: flow, Node: B -->\n- [ ] c <!-- type: flow, RETRIES: 1 -->',
    [':1 tasks_bad_metadata', ':2 tasks_bad_metadata', ':3 tasks_bad_metadata'],
  ],
  'metadata over several lines': ['- [ ] a <!--\ntype: flow\n-->', [':1 tasks_bad_metadata']],
  'metadata that is not closed': [
    '- [ ] a <!-- type: flow\n- [ ] b <!-- node: C',
    [':1 tasks_bad_metadata', ':2 tasks_bad_metadata'],
  ],
  'a code block that never ends': ['- [ ] a\n```\n- [ ] b', [':2 tasks_unclosed']],
  'a comment that never ends': ['- [ ] a\n<!--\n- [ ] b', [':2 tasks_unclosed']],
  'all that is wrong with lines, at once': [
    '- a\n- [?] b\n\t- [ ] c',
    [':1 tasks_missing_marker', ':2 tasks_unknown_marker', ':3 tasks_tab'],
  ],
};

const FILES = { 'b.md': '- [ ] b\n    - [ ] c', 'c.md': '', 'sub_flows/task_1.md': '' };

describe('what is a task', () => {
  verifies('tasks.grammar.task', 'tasks.grammar.markers', 'tasks.grammar.brackets', 'tasks.grammar.reference');
  verifies('tasks.grammar.metadata', 'tasks.grammar.metadata-only-there', 'tasks.tree.references');
  test.each(Object.entries(GOOD))('%s', (_what, [text, expected]) => {
    expect(problemLines(treeOf(text, FILES).problems)).toEqual([]);
    expect(shown(text, FILES)).toEqual(expected);
  });
});

describe('what is none', () => {
  verifies('tasks.grammar.errors', 'tasks.zoom.bounded');
  test.each(Object.entries(BAD))('%s', (_what, [text, expected, others = {}]) => {
    const { problems } = treeOf(text, others);
    expect(problemLines(problems)).toEqual(expected);
    for (const { message } of problems) expect(message).toMatch(/^\S.*: \S|^\S.*; \S/);
  });
});

test('files below each other are bounded', () => {
  const others = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`f${index}.md`, `- [ ] a @ f${index + 1}.md`]),
  );
  expect(problemLines(treeOf('- [ ] a @ f0.md', others).problems)).toEqual(['f14.md:1 tasks_too_deep']);
});

test('levels of one file are bounded', () => {
  const text = Array.from({ length: 70 }, (_, level) => `${'    '.repeat(level)}- [ ] a`).join('\n');
  expect(problemLines(treeOf(text).problems)[0]).toBe(':65 tasks_too_deep');
});

describe('the header', () => {
  test('the last one of a key wins, also when it is saved', () => {
    verifies('tasks.grammar.header');
    const { tree } = treeOf('Project: A\nOwner: Bob\nProject: B: C\n\n- [ ] a\nLate: no header');
    expect(Object.fromEntries(headerOf(tree.head))).toEqual({ Owner: 'Bob', Project: 'B: C' });
    expect(renderTree(tree).get('status.md')).toBe('Owner: Bob\nProject: B: C\n\n- [ ] a\nLate: no header\n');
  });

  test('lines of a code block are none, and all of them are kept', () => {
    const written = 'Owner: Bob\n\n```yaml\nOwner: one\n```\n\n```yaml\nOwner: two\n```\n\n- [ ] a\n';
    const { tree } = treeOf(written);
    expect(Object.fromEntries(headerOf(tree.head))).toEqual({ Owner: 'Bob' });
    expect(renderTree(tree).get('status.md')).toBe(written);
  });
});

describe('saving', () => {
  const SAVED: Readonly<Record<string, readonly [text: string, saved: string]>> = {
    'line ends and markers become normal': ['A: b\r\n- [X] a\r\n    - [v] b\r\n', 'A: b\n- [x] a\n    - [x] b\n'],
    'names stay byte for byte': ['- [ ]   a  \u200b b\u00a0 ', '- [ ] a  \u200b b\u00a0\n'],
    'metadata is kept, other comments are not': [
      '<!-- x -->\n- [ ] a <!--type:flow,node:B-->\n<!-- y\nz -->\n- [ ] b <!-- c -->',
      '- [ ] a <!-- type: flow, node: B -->\n- [ ] b\n',
    ],
    'prose and code stay': [
      '# A\n\n- [ ] a\n    words\n\n    ```\n    \tcode\n    ```\n\n\n',
      '# A\n\n- [ ] a\n    words\n\n    ```\n    \tcode\n    ```\n',
    ],
    'quotes where there is a blank': ['- [ ] a @ "b.md"\n- [ ] c @ "d e.md"', '- [ ] a @ b.md\n- [ ] c @ "d e.md"\n'],
    nothing: ['\n\n', ''],
  };
  test.each(Object.entries(SAVED))('%s', (_what, [text, saved]) => {
    verifies('tasks.saving.regenerated', 'tasks.saving.names', 'tasks.saving.metadata');
    const { tree, problems } = treeOf(text);
    expect(problemLines(problems)).toEqual([]);
    expect(renderTree(tree).get('status.md')).toBe(saved);
    expect(renderTree(treeOf(saved).tree).get('status.md')).toBe(saved);
  });
});
