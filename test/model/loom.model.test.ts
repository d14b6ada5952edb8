import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NumberedOperation, Operation } from '#workers/loom/operation.ts';
import { type FilePlan, planFile } from '#workers/loom/plan-file.ts';
import { decode, encode, type Encoding } from '#workers/loom/text-file.ts';
import { verifies } from '../e2e/verifies.ts';
import { editText } from '../reference/edit-text.ts';
import { seed } from '../support/seeded-random.ts';

const numRuns = Number(process.env['ROBOSMITH_LOOM_EDITS'] ?? 3_000);
const sampled = { numRuns, seed };
console.log(`ROBOSMITH_SEED=${seed}`);

const numbered = (operations: readonly Operation[]): readonly NumberedOperation[] =>
  operations.map((one, index) => ({ ...one, number: index + 1 }));
const flat = (text: string): string => text.replaceAll(text.includes('\n') ? '\r\n' : '\r', '\n');

/** Only few different words, so that anchors are ambiguous, overlap, and occur in inserted text. */
const word = fc.constantFrom('a', 'b', 'ab', 'aa', ' ', '  ', '\t', '}', '{', 'a b', '𝒳');
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(''));
/**
 * Line endings of one file: all the same, or LF and CRLF mixed. A single CR counts as a line ending only if the file
 * has no others.
 */
const endings = fc.oneof(
  ...[['\n'], ['\r\n'], ['\r'], ['\n', '\r\n']].map((kinds) => fc.constant(fc.constantFrom(...kinds))),
);
const anyText = endings
  .chain((ending) => fc.tuple(fc.array(fc.tuple(line, ending), { maxLength: 8 }), fc.option(line, { nil: '' })))
  .map(([lines, last]) => lines.map((one) => one.join('')).join('') + last);
const content = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));
const filled = content.filter((text) => text.trim() !== '');
const path = fc.constant('a.txt');

const someOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    op: fc.constant('insert' as const),
    path,
    anchor: filled,
    content: content.filter((text) => text !== ''),
    position: fc.constantFrom('before', 'after'),
  }),
  fc.record({ op: fc.constant('replaceBlock' as const), path, start: filled, end: filled, content }),
  fc.record({ op: fc.constant('append' as const), path, content: content.filter((text) => text !== '') }),
  fc.record({
    op: fc.constant('replaceLine' as const),
    path,
    line: fc.integer({ min: 1, max: 9 }),
    content,
    expected: fc.option(line),
  }),
);

/** An edit whose anchor is often a part of the text itself. */
const edit = fc
  .tuple(anyText, someOperation, fc.nat(), fc.nat(6))
  .map(([text, operation, from, length]): readonly [string, Operation] => {
    const start = flat(text).length === 0 ? 0 : from % flat(text).length;
    const part = flat(text).slice(start, start + length + 1);
    const isAnchor = part.trim() !== '' && part.isWellFormed();
    if (!isAnchor || from % 4 === 0) return [text, operation];
    if (operation.op === 'insert') return [text, { ...operation, anchor: part }];
    return [text, operation.op === 'replaceBlock' ? { ...operation, start: part } : operation];
  });

/**
 * Returns whether the Loom would adapt the edit's indentation. Such edits are excluded, because the naive
 * implementation does not convert between spaces and tabs.
 */
const isFitted = ({ content: text }: Operation): boolean => /^(?:\t| {2})/m.test(text);

const codes = (plan: FilePlan): readonly string[] =>
  plan.kind === 'refused' ? plan.problems.map(({ code }) => code) : [];

describe(`random edits (${numRuns}, ROBOSMITH_SEED=${seed})`, { timeout: 0 }, () => {
  test('come out as the naive implementation has them', () => {
    verifies('workers.loom.operations', 'workers.loom.one-match');
    const seen = { changed: 0, unchanged: 0, refused: 0, not_repeatable: 0 };
    const agree = fc.property(edit, ([text, operation]) => {
      fc.pre(!isFitted(operation));
      const plan = planFile(text, numbered([operation]));
      const naive = editText(flat(text), operation);
      seen[plan.kind] += 1;
      if (plan.kind === 'changed') expect(flat(plan.text)).toBe(naive);
      else if (plan.kind === 'unchanged') expect(flat(text)).toContain(operation.content.replace(/\n$/, ''));
      else if (codes(plan).includes('not_repeatable')) seen.not_repeatable += 1;
      else expect(naive).toBeNull();
    });
    fc.assert(agree, sampled);
    console.log(JSON.stringify(seen));
    expect(Math.min(seen.changed, seen.refused)).toBeGreaterThan(numRuns / 5);
    expect(seen.not_repeatable).toBeLessThan(numRuns / 20);
  });

  test('are there when they are asked for again', () => {
    verifies('workers.loom.idempotent');
    const again = fc.property(edit, fc.array(someOperation, { maxLength: 2 }), ([text, operation], others) => {
      const list = numbered([operation, ...others]);
      const plan = planFile(text, list);
      if (plan.kind === 'changed') expect(planFile(plan.text, list)).toEqual({ kind: 'unchanged' });
    });
    fc.assert(again, sampled);
  });

  test('leave everything else as it is, to the letter', () => {
    verifies('workers.loom.preserves');
    const outside = fc.property(edit, ([text, operation]) => {
      const plan = planFile(text, numbered([operation]));
      if (plan.kind !== 'changed') return;
      let before = 0;
      while (before < text.length && text[before] === plan.text[before]) before += 1;
      let after = 0;
      while (after < text.length - before && text.at(-1 - after) === plan.text.at(-1 - after)) after += 1;
      const lost = text.slice(before, text.length - after);
      if (operation.op === 'insert' || operation.op === 'append') expect(lost).toBe('');
      if (operation.op === 'replaceLine') expect(lost).not.toMatch(/[\r\n]/);
    });
    fc.assert(outside, sampled);
  });

  test('are undone by their inverse', () => {
    verifies('workers.loom.preserves');
    const lines = endings.chain((ending) =>
      fc.array(fc.tuple(fc.constantFrom('', '  ', '\t'), ending), { minLength: 2, maxLength: 8 }),
    );
    const inverse = fc.property(lines, fc.nat(), filled, (made, pick, added) => {
      const text = made.map(([lead, end], index) => `${lead}line <${index}>${end}`).join('');
      const at = pick % (made.length - 1);
      const [above, below] = [`line <${at}>`, `line <${at + 1}>`];
      const insertion: Operation = { op: 'insert', path: 'a', anchor: above, content: added, position: 'after' };
      const inserted = planFile(text, numbered([insertion]));
      // The only reason to refuse an edit is an indentation with spaces that matches no level of a file with tabs.
      expect([[], ['unclear_indentation']]).toContainEqual(codes(inserted));
      if (inserted.kind === 'refused') return;
      expect(inserted.kind).toBe('changed');
      if (inserted.kind !== 'changed') return;
      const removal: Operation = { op: 'replaceBlock', path: 'a', start: above, end: below, content: '' };
      expect(planFile(inserted.text, numbered([removal]))).toEqual({ kind: 'changed', text, edits: 1 });
    });
    fc.assert(inverse, sampled);
  });

  test('of one list come out as one after the other would', () => {
    verifies('workers.loom.operations');
    const size = 12;
    const some = fc.uniqueArray(fc.tuple(fc.nat(size - 1), fc.constantFrom('insert', 'line', 'block'), line), {
      selector: ([at]) => Math.floor(at / 3),
      maxLength: 4,
    });
    const together = fc.property(some, fc.constantFrom('\n', '\r\n', '\r'), (picked, end) => {
      const text = Array.from({ length: size }, (_, index) => `<${index}>${end}`).join('');
      const operations = picked.map(([at, kind, added]): Operation => {
        const first = Math.floor(at / 3) * 3;
        const own = `new ${first}${added}`;
        if (kind === 'insert')
          return { op: 'insert', path: 'a', anchor: `<${first}>`, content: own, position: 'after' };
        if (kind === 'block')
          return { op: 'replaceBlock', path: 'a', start: `<${first}>`, end: `<${first + 2}>`, content: own };
        return { op: 'replaceLine', path: 'a', line: first + 1, content: own, expected: `<${first}>` };
      });
      const plan = planFile(text, numbered(operations));
      // Applying edits from the last line upwards keeps the line numbers of the others valid.
      const order = [...operations].sort((left, right) => firstOf(right) - firstOf(left));
      const naive = order.reduce((now, one) => editText(now, one)!, flat(text));
      if (plan.kind === 'changed') expect(flat(plan.text)).toBe(naive);
      else if (plan.kind === 'unchanged') expect(operations).toEqual([]);
      else expect(codes(plan)).toEqual(['not_repeatable']);
    });
    fc.assert(together, sampled);
  });

  test('are kept in the encoding of the file, byte for byte', () => {
    verifies('workers.loom.preserves');
    const encodings: readonly Encoding[] = [
      { name: 'utf-8', bom: false },
      { name: 'utf-8', bom: true },
      { name: 'utf-16le', bom: true },
      { name: 'utf-16be', bom: true },
    ];
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0') && !one.startsWith('\u{feff}'));
    const kept = fc.property(text, fc.constantFrom(...encodings), (one, encoding) => {
      const bytes = encode(one, encoding);
      expect(decode(bytes)).toEqual({ ok: true, text: one, encoding });
    });
    fc.assert(kept, sampled);
    const exact = fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const decoded = decode(bytes);
      if (decoded.ok) expect([...encode(decoded.text, decoded.encoding)]).toEqual([...bytes]);
    });
    fc.assert(exact, sampled);
  });
});

function firstOf(operation: Operation): number {
  if (operation.op === 'replaceLine') return operation.line - 1;
  const anchor =
    operation.op === 'insert' ? operation.anchor : operation.op === 'replaceBlock' ? operation.start : '<0>';
  return Number(/\d+/.exec(anchor)?.[0]);
}
