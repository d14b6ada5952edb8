import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findClashes, type LikelyClash } from '../../../src/roberto-mcp/compare/find-clashes.ts';
import { makeScene, openAnalysis, type Scene } from './analysis.ts';
import { CLASH_SCENARIOS, type ClashScenario, type Edits } from './clash-scenarios.ts';

function apply(scene: Scene, base: Readonly<Record<string, string>>, edits: Edits): void {
  for (const [path, edit] of Object.entries(edits)) {
    if (edit === null) rmSync(join(scene.root, path));
    else if (typeof edit === 'string') scene.write(path, edit);
    else {
      const text = base[path] ?? '';
      expect(text.split(edit[0]).length, `${path} holds ${edit[0]} once`).toBe(2);
      scene.write(
        path,
        text.replace(edit[0], () => edit[1]),
      );
    }
  }
}

/** Makes the three commits, and verifies that git merges the two branches without a conflict. */
function commit({ base, ours, theirs }: ClashScenario): Scene {
  const scene = makeScene(base);
  for (const [branch, edits] of [
    ['ours', ours],
    ['theirs', theirs],
  ] as const) {
    scene.git('checkout', '--quiet', '-b', branch, 'main');
    apply(scene, base, edits);
    scene.git('add', '--all');
    scene.git('commit', '--quiet', '--message', branch);
  }
  scene.git('merge-tree', '--write-tree', 'ours', 'theirs');
  return scene;
}

interface Verdict {
  readonly title: string;
  readonly expected: string | null;
  readonly found: readonly string[];
}
const verdicts: Verdict[] = [];

const found = (clashes: readonly LikelyClash[]): readonly string[] => [...new Set(clashes.map(({ kind }) => kind))];

describe('pairs of branches that git merges cleanly', () => {
  test.each(CLASH_SCENARIOS)('$title', async (scenario) => {
    const scene = commit(scenario);
    try {
      const { clashes } = await findClashes(scene.root, 'main', 'ours', 'theirs');
      verdicts.push({ title: scenario.title, expected: scenario.expected, found: found(clashes) });
      for (const { change, use } of clashes) {
        expect(scene.git('show', `${use.branch}:${use.file}`).split('\n')[use.line - 1]?.trim() ?? '').toContain(
          use.file.endsWith('.sql') ? '' : use.text,
        );
        expect(change.branch).not.toBe(use.branch);
      }
    } finally {
      scene.remove();
    }
  });
});

afterAll(() => {
  const clashing = verdicts.filter(({ expected }) => expected !== null);
  const reported = verdicts.filter(({ found: kinds }) => kinds.length > 0);
  const right = clashing.filter(({ found: kinds, expected }) => expected !== null && kinds.includes(expected));
  const wrong = verdicts.filter(({ found: kinds, expected }) =>
    expected === null ? kinds.length > 0 : !kinds.includes(expected),
  );
  console.log(
    `${verdicts.length} scenarios, ${verdicts.length - clashing.length} of them harmless: recall ${right.length} of ${clashing.length}, precision ${right.length} of ${reported.length}\n` +
      wrong
        .map(
          ({ title, expected, found: kinds }) =>
            `  ${title}: expected ${expected ?? 'none'}, found ${kinds.join(', ') || 'none'}`,
        )
        .join('\n'),
  );
  if (verdicts.length < CLASH_SCENARIOS.length) return;
  expect(verdicts.length).toBeGreaterThanOrEqual(60);
  expect(right.length / clashing.length).toBeGreaterThanOrEqual(0.9);
  expect(right.length / reported.length).toBeGreaterThanOrEqual(0.9);
});

test('the tool names both lines, and refuses what is no commit', async () => {
  const scene = commit(CLASH_SCENARIOS[0]!);
  const analysis = openAnalysis(scene.root, scene.cache, false);
  try {
    expect(await analysis.ask('compare_changes', { ours: 'ours', theirs: 'theirs' })).toMatchObject({
      total: 1,
      clashes: [
        {
          kind: 'renamed',
          name: 'total',
          why: 'it was renamed to sum',
          change: {
            branch: 'ours',
            file: 'src/price.ts',
            line: 7,
            text: 'export function sum(amount: number, tax: number): number {',
          },
          use: { branch: 'theirs', file: 'src/cart.ts', line: 6, text: 'const more = total(3, 4);' },
        },
      ],
    });
    await expect(analysis.ask('compare_changes', { ours: 'ours', theirs: 'nowhere' })).rejects.toMatchObject({
      code: 'unknown_commit',
    });
    await expect(analysis.ask('compare_changes', { ours: '--help', theirs: 'ours' })).rejects.toMatchObject({
      code: 'unknown_commit',
    });
  } finally {
    analysis.close();
    scene.remove();
  }
});

test('a changed file that is too large to compare is named, not passed over as harmless', async () => {
  const scene = makeScene({ 'src/big.ts': 'export const a = 1;\n', 'src/small.ts': 'export const b = 1;\n' });
  const branch = (name: string, path: string, text: string): void => {
    scene.git('checkout', '--quiet', '-b', name, 'main');
    scene.write(path, text);
    scene.git('commit', '--quiet', '--all', '--message', name);
  };
  branch('ours', 'src/big.ts', `export const renamed = 1;\n${'// filler of a line\n'.repeat(60_000)}`);
  branch('theirs', 'src/small.ts', "import { a } from './big.ts';\nexport const b = a;\n");
  const analysis = openAnalysis(scene.root, scene.cache, false);
  try {
    expect(await analysis.ask('compare_changes', { ours: 'ours', theirs: 'theirs' })).toMatchObject({
      not_compared: ['src/big.ts'],
      not_compared_total: 1,
    });
  } finally {
    analysis.close();
    scene.remove();
  }
});
