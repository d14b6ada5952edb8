import fc from 'fast-check';
import { expect, test } from 'vitest';
import { structureOf } from '#logic/plan/find-task.ts';
import { renderTree } from '#logic/plan/render-status.ts';
import { itemText } from '#logic/plan/render-status.ts';
import { splitItem } from '#logic/plan/split-item.ts';
import { walkTasks } from '#logic/plan/walk-tasks.ts';
import { TASK_MARKER, type TaskTree } from '#protocol/task-tree.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { problemLines, treeOf } from './tree-of.ts';
import { seed } from '../../../support/seeded-random.ts';

const runs = Number(process.env['ROBOSMITH_TASK_TREES'] ?? 2_000);
const HOW = { numRuns: runs, seed };

/** Parts of names that could be mistaken for syntax. */
const PIECES = [
  'a',
  ' ',
  '`',
  '``',
  '\\',
  '<!--',
  '-->',
  ' @ ',
  '[x]',
  '- [ ] ',
  'x.md',
  '"',
  '/',
  'type: flow',
  '\u200b',
  '日',
  '```',
  '#',
];
const chars = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 4 }));
const name = fc.array(chars, { minLength: 1, maxLength: 8 }).map((parts) =>
  parts
    .join('')
    .replace(/[\t\n\r]/g, ' ')
    .replace(/^ +| +$/g, ''),
);
const metadata = fc.option(
  fc.constantFrom('<!-- type: flow -->', '<!-- type: flow, node: A, retries: 2 -->', '<!-- owner: Bob -->'),
  { nil: null, freq: 3 },
);
const marker = fc.constantFrom(...Object.values(TASK_MARKER));
const notes = fc.constantFrom<readonly string[]>(
  [],
  [],
  [],
  ['words'],
  ['', 'words'],
  ['    ```', '\t- [ ] no', '    ```'],
  [''],
);
/** Returns whether a text is an item in the canonical format. */
function isNormal(written: string): boolean {
  const item = splitItem(written);
  return !('code' in item) && !item.dropsComment && itemText(item) === written;
}

const deeper = fc.integer({ min: -3, max: 1 });
const row = fc
  .record({ name, metadata, marker, notes, deeper })
  .map(({ metadata: comment, ...one }) => ({ ...one, item: `${one.name}${comment === null ? '' : ` ${comment}`}` }))
  .filter(({ item }) => isNormal(`0 ${item}`));

/** Generates lines in the canonical format. The test determines which of them form a valid tree. */
const text = fc.array(row, { maxLength: 12 }).chain((rows) =>
  fc.constantFrom('', 'Project: X\n', 'Project: X\nOwner: Y\n\n', '# Plan\n\n').map((head) => {
    let level = -1;
    const lines = rows.flatMap((one, index) => {
      level = Math.max(0, level + one.deeper);
      return [`${'    '.repeat(level)}- [${one.marker}] ${index} ${one.item}`, ...one.notes];
    });
    return `${head}${lines.join('\n')}`.replace(/\n*$/, '\n').replace(/^\n$/, '');
  }),
);

/** Returns the tree without its positions in the text. */
const plain = (tree: TaskTree): unknown =>
  Array.from(walkTasks(tree), ({ path, task: { name: text, status, metadata: pairs, reference, notes: lines } }) => [
    path,
    text,
    status,
    [...pairs],
    reference,
    lines,
  ]);

test(`what is loaded and saved is the same, byte for byte (ROBOSMITH_SEED=${seed})`, () => {
  verifies('tasks.saving.identity');
  let valid = 0;
  fc.assert(
    fc.property(text, (normal) => {
      const { tree, problems, root } = treeOf(normal);
      // Only two problems are allowed for a line: prose may contain an unclosed construct, and a reference may be
      // invalid.
      const broken = new Set(root.problems.map(({ code }) => code));
      for (const code of ['tasks_unclosed', 'tasks_bad_reference'] as const) broken.delete(code);
      expect([...broken]).toEqual([]);
      if (root.problems.length > 0 || problems.some(({ code }) => code === 'tasks_bad_reference')) return;
      if (problems.length === 0) valid += 1;
      expect(renderTree(tree).get('status.md')).toBe(normal);
      const again = treeOf(normal);
      expect(plain(again.tree)).toEqual(plain(tree));
    }),
    HOW,
  );
  expect(valid).toBeGreaterThan(runs / 20);
});

const sloppy = text.map((normal) =>
  normal.replaceAll('\n', '\r\n').replaceAll('[x]', '[X]').replaceAll('-->', '  -->'),
);

test(`what is saved once is saved the same ever after (ROBOSMITH_SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        sloppy,
        fc.array(chars, { maxLength: 30 }).map((parts) => `- [ ] a${parts.join('')}`),
      ),
      (written) => {
        const first = treeOf(written);
        if (first.problems.length > 0) return;
        const saved = renderTree(first.tree).get('status.md') ?? '';
        const second = treeOf(saved);
        expect([problemLines(second.problems), second.root.dropped]).toEqual([[], []]);
        expect(structureOf(second.tree)).toBe(structureOf(first.tree));
        expect(plain(second.tree)).toEqual(plain(first.tree));
        expect(renderTree(second.tree).get('status.md')).toBe(saved);
      },
    ),
    HOW,
  );
});

test(`no text makes it throw, or take longer than its length (ROBOSMITH_SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(chars, fc.constantFrom('\n', '\r\n', '\t', '    ', '- [', '] ')), { maxLength: 60 }),
      (parts) => {
        const { problems, root } = treeOf(parts.join(''));
        for (const { line } of root.problems) expect(line).toBeGreaterThan(0);
        expect(problems.length).toBeLessThanOrEqual(parts.length + 1);
      },
    ),
    HOW,
  );
});
