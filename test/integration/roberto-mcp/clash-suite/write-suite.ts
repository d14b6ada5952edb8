import { execFileSync } from 'node:child_process';
import { type Candidate, drawCandidates } from './draw-candidates.ts';
import { check, type CheckResult } from './check-merge.ts';
import { go } from './go.ts';
import { python } from './python.ts';
import { makeRepository, type SuiteRepository } from './repository.ts';
import { rust } from './rust.ts';
import { type Dialect, LANGUAGES_OF_SUITE } from './subject.ts';
import { baseTree, readSuite, type Suite, type SuiteScenario, writeSuite } from './suite-file.ts';
import { typescript } from './typescript.ts';

/*
 * Selects the scenarios of each language at random from its templates, determines their verdicts with the language's
 * own tools, and writes them to test/samples/clashes. Arguments: languages (default: all). ROBOSMITH_SEED selects other
 * scenarios.
 */
const DIALECTS: Readonly<Record<Dialect['language'], Dialect>> = { typescript, python, go, rust };
const VERSIONS = {
  typescript: 'tsc --version',
  python: 'python3 --version',
  go: 'go version',
  rust: 'rustc --version',
};
const SEED = Number(process.env['ROBOSMITH_SEED'] ?? 25);

/** The number of scenarios per language with a clash, and without one. */
const WANTED = { clash: 46, harmless: 44 } as const;
/**
 * The maximum number of scenarios with the same verdict that may have the same change, the same use, or both the same.
 */
const LIMITS = { change: 5, use: 7, both: 1 } as const;

interface Bench {
  readonly repository: SuiteRepository;
  readonly resultOf: (commit: string) => Promise<CheckResult>;
}

type Drawn = Omit<SuiteScenario, 'id'>;

async function play(candidate: Candidate, swapped: boolean, { repository, resultOf }: Bench): Promise<Drawn | null> {
  const { subject, change, use } = candidate;
  const [changed, using] = [candidate.changed(), candidate.using()];
  if (changed === null || using === null) return null;
  const a = repository.commitTree(changed);
  const b = repository.commitTree(using);
  const merged = repository.merge(a, b);
  if (merged === null) return null;
  for (const [commit, name] of [
    [a, change],
    [b, use],
  ] as const) {
    const failure = await resultOf(commit);
    if (failure === null) continue;
    console.log(`  ${subject}: "${name}" alone fails: ${failure}`);
    return null;
  }
  const failure = await resultOf(merged);
  const [ours, theirs] = (swapped ? [b, a] : [a, b]).map(repository.patchOf);
  return { subject, change, use, ours: ours!, theirs: theirs!, clash: failure !== null, evidence: failure ?? '' };
}

interface Counts {
  readonly has: (drawn: Drawn) => boolean;
  readonly isFull: (clash: boolean) => boolean;
  readonly count: (drawn: Drawn) => void;
}

function makeCounts(): Counts {
  const counts = new Map<string, number>();
  const keysOf = ({ change, use, clash }: Drawn): readonly (readonly [string, number])[] => [
    [`${String(clash)} change ${change}`, LIMITS.change],
    [`${String(clash)} use ${use}`, LIMITS.use],
    [`${String(clash)} both ${change} ${use}`, LIMITS.both],
  ];
  const all = (clash: boolean): string => `${String(clash)} all`;
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    has: (drawn) => keysOf(drawn).some(([key, limit]) => (counts.get(key) ?? 0) >= limit),
    isFull: (clash) => (counts.get(all(clash)) ?? 0) >= (clash ? WANTED.clash : WANTED.harmless),
    count: (drawn) => {
      for (const [key] of keysOf(drawn)) add(key);
      add(all(drawn.clash));
    },
  };
}

/** Returns the changes of a language after which at least one use of their subject fails. */
async function breakingChanges(candidates: readonly Candidate[], bench: Bench): Promise<ReadonlySet<string>> {
  const breaking = new Set<string>();
  for (const candidate of candidates) {
    const key = `${candidate.subject} ${candidate.change}`;
    if (candidate.seeming || breaking.has(key) || candidate.use !== 'in a new file') continue;
    if ((await play(candidate, false, bench))?.clash === true) breaking.add(key);
  }
  return breaking;
}

async function draw(dialect: Dialect, suite: Suite, bench: Bench): Promise<readonly SuiteScenario[]> {
  const candidates = drawCandidates(dialect, baseTree(suite), SEED);
  const breaking = await breakingChanges(candidates, bench);
  const counts = makeCounts();
  const scenarios: SuiteScenario[] = [];
  for (const [serial, candidate] of candidates.entries()) {
    if (counts.isFull(true) && counts.isFull(false)) break;
    const isBreaking = breaking.has(`${candidate.subject} ${candidate.change}`);
    // A harmless change next to code that only appears to use its subject would be no challenge for the analysis.
    if (candidate.seeming && !isBreaking) continue;
    const guess = { ...candidate, ours: [], theirs: [], evidence: '', clash: isBreaking && !candidate.seeming };
    if (counts.has(guess) || (candidate.subject !== '' && counts.isFull(guess.clash))) continue;
    const drawn = await play(candidate, serial % 2 === 1, bench);
    if (drawn === null || counts.has(drawn) || counts.isFull(drawn.clash)) continue;
    counts.count(drawn);
    scenarios.push({ id: `${suite.language}-${String(scenarios.length + 1).padStart(3, '0')}`, ...drawn });
  }
  return scenarios;
}

async function write(language: Dialect['language']): Promise<void> {
  const suite = readSuite(language);
  const repository = makeRepository(baseTree(suite));
  const results = new Map<string, Promise<CheckResult>>();
  const resultOf = (commit: string): Promise<CheckResult> => {
    const key = repository.treeOf(commit);
    const known = results.get(key) ?? check(repository, suite.check, key);
    results.set(key, known);
    return known;
  };
  try {
    const failure = await resultOf(repository.base);
    if (failure !== null) throw new Error(`the check of the merge base fails: ${failure}`);
    const scenarios = await draw(DIALECTS[language], suite, { repository, resultOf });
    const tools = execFileSync('bash', ['-c', VERSIONS[language]], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}` },
    }).trim();
    writeSuite({ ...suite, tools, seed: SEED, scenarios });
    const clashing = scenarios.filter(({ clash }) => clash).length;
    console.log(`${language}: ${clashing} clashing and ${scenarios.length - clashing} harmless scenarios`);
  } finally {
    repository.remove();
  }
}

const wanted = process.argv.slice(2);
await Promise.all(LANGUAGES_OF_SUITE.filter((one) => wanted.length === 0 || wanted.includes(one)).map(write));
