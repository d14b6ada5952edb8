import { findClashes, type LikelyClash } from '../../../../src/roberto-mcp/compare/find-clashes.ts';
import { makeRepository } from './repository.ts';
import { baseTree, type Suite, type SuiteScenario } from './suite-file.ts';

/** The verdict of the analysis on one scenario. */
export interface Judged {
  readonly scenario: SuiteScenario;
  readonly clashes: readonly LikelyClash[];
}

/** Runs the analysis on the two branches of each scenario. */
export async function judge(suite: Suite, scenarios: readonly SuiteScenario[]): Promise<readonly Judged[]> {
  const repository = makeRepository(baseTree(suite));
  try {
    const judged: Judged[] = [];
    for (const scenario of scenarios) {
      const ours = repository.commitPatch(scenario.ours);
      const theirs = repository.commitPatch(scenario.theirs);
      if (repository.merge(ours, theirs) === null) throw new Error(`${scenario.id} does not merge cleanly`);
      judged.push({ scenario, clashes: (await findClashes(repository.root, repository.base, ours, theirs)).clashes });
    }
    return judged;
  } finally {
    repository.remove();
  }
}

export interface Score {
  readonly clashing: number;
  readonly harmless: number;
  readonly found: number;
  readonly reported: number;
  readonly recall: number;
  readonly precision: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const clashing = judged.filter(({ scenario }) => scenario.clash);
  const reported = judged.filter(({ clashes }) => clashes.length > 0);
  const found = clashing.filter(({ clashes }) => clashes.length > 0).length;
  return {
    clashing: clashing.length,
    harmless: judged.length - clashing.length,
    found,
    reported: reported.length,
    recall: found / Math.max(1, clashing.length),
    precision: found / Math.max(1, reported.length),
  };
}

/** Describes each scenario for which the verdict of the analysis was wrong. */
export const mistakes = (judged: readonly Judged[]): readonly string[] =>
  judged
    .filter(({ scenario, clashes }) => scenario.clash !== clashes.length > 0)
    .map(({ scenario: { id, subject, change, use, evidence }, clashes: [first] }) =>
      first === undefined
        ? `  missed ${id} ${subject}: ${change} / ${use}: ${evidence}`
        : `  false  ${id} ${subject}: ${change} / ${use}: ${first.kind} ${first.name}: ${first.why}; ${first.use.file}:${first.use.line} ${first.use.text}`,
    );
