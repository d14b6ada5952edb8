import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { pick, seed, seededRandom } from '../../support/seeded-random.ts';
import { check, CHECK_PROGRAMS } from './clash-suite/check-merge.ts';
import { type Judged, judge, mistakes, scoreOf } from './clash-suite/judge.ts';
import { makeRepository } from './clash-suite/repository.ts';
import { LANGUAGES_OF_SUITE } from './clash-suite/subject.ts';
import { baseTree, readSuite, type Suite, type SuiteScenario } from './clash-suite/suite-file.ts';

const all = process.env['ROBOSMITH_CLASH_SCENARIOS'] === 'all';
/**
 * Number of scenarios per language that one test run compares. The next constant is the number of those whose verdict
 * is checked again.
 */
const COMPARED = 15;
const PROVED = 2;

function sample(scenarios: readonly SuiteScenario[], count: number, salt: number): readonly SuiteScenario[] {
  if (all) return scenarios;
  const random = seededRandom(seed + salt);
  const rest = [...scenarios];
  return Array.from({ length: count }, () => rest.splice(pick(random, rest.length), 1)[0]!);
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

function summary(name: string, judged: readonly Judged[]): string {
  const { clashing, harmless, found, reported, recall, precision } = scoreOf(judged);
  return (
    `${name}: ${clashing} clashing, ${harmless} harmless; recall ${found} of ${clashing} (${percent(recall)}), ` +
    `precision ${found} of ${reported} (${percent(precision)})`
  );
}

const suites = LANGUAGES_OF_SUITE.map(readSuite);

test('there are at least 300 scenarios, 120 of them harmless', () => {
  const scenarios = suites.flatMap((one) => one.scenarios);
  expect(scenarios.length).toBeGreaterThanOrEqual(300);
  expect(scenarios.filter(({ clash }) => !clash).length).toBeGreaterThanOrEqual(120);
  expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
});

test(`the analysis finds 9 of 10 clashes, and 9 of 10 that it reports are clashes (ROBOSMITH_SEED=${seed})`, async () => {
  const judged: Judged[] = [];
  const lines: string[] = [];
  for (const suite of suites) {
    const some = await judge(suite, sample(suite.scenarios, COMPARED, 0));
    judged.push(...some);
    lines.push(summary(suite.language, some), ...mistakes(some));
  }
  console.log([`ROBOSMITH_SEED=${seed}`, ...lines, summary('together', judged)].join('\n'));
  const { recall, precision } = scoreOf(judged);
  expect(judged.length).toBeGreaterThanOrEqual(60);
  expect(recall).toBeGreaterThanOrEqual(0.9);
  expect(precision).toBeGreaterThanOrEqual(0.9);
});

async function prove(suite: Suite, scenario: SuiteScenario): Promise<void> {
  const repository = makeRepository(baseTree(suite));
  try {
    const [ours, theirs] = [repository.commitPatch(scenario.ours), repository.commitPatch(scenario.theirs)];
    expect(await check(repository, suite.check, ours)).toBeNull();
    expect(await check(repository, suite.check, theirs)).toBeNull();
    const merged = repository.merge(ours, theirs);
    expect(merged).not.toBeNull();
    const failure = await check(repository, suite.check, merged ?? '');
    expect({ id: scenario.id, clash: failure !== null }).toEqual({ id: scenario.id, clash: scenario.clash });
  } finally {
    repository.remove();
  }
}

describe(`each branch works alone, git merges them, and the merge fails exactly if the data say so (ROBOSMITH_SEED=${seed})`, () => {
  test.each(suites)(
    '$language',
    async (suite) => {
      const program = CHECK_PROGRAMS[suite.language];
      if (spawnSync('bash', ['-c', `command -v ${program}`]).status !== 0) {
        console.log(`the verdicts for ${suite.language} are not established again: there is no ${program}`);
        return;
      }
      const chosen = sample(suite.scenarios, PROVED, 1);
      for (const scenario of chosen) await prove(suite, scenario);
      console.log(`${suite.language}: verdicts of ${chosen.map(({ id }) => id).join(', ')} established again`);
    },
    3_600_000,
  );
});
