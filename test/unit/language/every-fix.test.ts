import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseTree, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import { createProjects, problems, quickFixes } from '#language/index.ts';
import { FACTS, offsetOf, open } from './fixture.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../../samples/compiler');

const sourcesOf = (name: string): readonly ManifestSource[] =>
  readdirSync(path.join(SAMPLES, name))
    .filter((file) => file.endsWith('workflows.json'))
    .map((file) => ({ path: file, text: readFileSync(path.join(SAMPLES, name, file), 'utf8') }))
    .toSorted((one, other) => Number(other.path === 'workflows.json') - Number(one.path === 'workflows.json'));

const MISSPELT = [
  ['"onSuccess": { "type": "execute_node", "node": "Fix" }', '"onSuccess": { "type": "execute_node", "node": "Fxi" }'],
  ['{ "type": "jump", "block": "Write" }', '{ "type": "jump", "block": "Wriet" }'],
] as const;

const parseErrors = (text: string): number => {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true });
  return errors.length;
};

/** Applies every fix of every finding by itself, and returns how many there are and what is wrong with them. */
function applyAll(sources: readonly ManifestSource[]): { readonly count: number; readonly wrong: readonly string[] } {
  const project = createProjects()(sources, FACTS);
  const wrong: string[] = [];
  let count = 0;
  for (const { path: file } of sources)
    for (const { code, range, message } of problems(project).get(file) ?? [])
      for (const { title, edits } of quickFixes(project, file, range).filter((one) => one.code === code)) {
        count += 1;
        const fixed = sources.map(({ path: name, text }) => {
          const own = edits.filter((edit) => edit.file === name).toReversed();
          return {
            path: name,
            text: own.reduce(
              (now, edit) =>
                now.slice(0, offsetOf(now, edit.range.start)) + edit.newText + now.slice(offsetOf(now, edit.range.end)),
              text,
            ),
          };
        });
        const isParsed = fixed.every(({ text }, index) => parseErrors(text) <= parseErrors(sources[index]?.text ?? ''));
        const occurrences = (all: readonly { readonly code: string }[]): number =>
          all.filter((one) => one.code === code).length;
        const isGone = occurrences(compile(fixed, FACTS).diagnostics) < occurrences(project.diagnostics);
        if (!isParsed || !isGone) wrong.push(`${file}: ${code} ${message}: ${title}${isParsed ? '' : ' (unreadable)'}`);
      }
  return { count, wrong };
}

test('every fix of every finding in the samples leaves a readable manifest without the finding', () => {
  const all = readdirSync(SAMPLES).map((name) => applyAll(sourcesOf(name)));
  expect(all.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(60);
});

test.each(MISSPELT)('a name in a handler is corrected in its place: %s', (before, after) => {
  const { project, texts, file } = open({ before, after });
  const sources = [...texts].map(([name, text]) => ({ path: name, text }));
  const text = texts.get(file) ?? '';
  const underlined = (problems(project).get(file) ?? []).map(({ range }) =>
    text.slice(offsetOf(text, range.start), offsetOf(text, range.end)),
  );
  expect(underlined.filter((one) => /Fxi|Wriet/.test(one))).toHaveLength(1);
  const { count, wrong } = applyAll(sources);
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(0);
});
