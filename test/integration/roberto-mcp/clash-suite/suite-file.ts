import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageOfSuite } from './subject.ts';
import type { Tree } from './tree.ts';

/** Two branches, given as patches of the merge base, and whether their merge works. */
export interface SuiteScenario {
  readonly id: string;
  readonly subject: string;
  readonly change: string;
  readonly use: string;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  /** True if each branch passes the check alone, git merges them without a conflict, and the merge fails the check. */
  readonly clash: boolean;
  /** The first line that the check printed for the merge; empty if the check passed. */
  readonly evidence: string;
}

/** All scenarios of one language. */
export interface Suite {
  readonly language: LanguageOfSuite;
  readonly source: string;
  readonly license: string;
  /** Commands that check the project: all succeed if it works. */
  readonly check: readonly string[];
  /** The names and versions of the tools that determined the verdicts. */
  readonly tools: string;
  readonly seed: number;
  readonly base: Readonly<Record<string, string>>;
  readonly scenarios: readonly SuiteScenario[];
}

const FOLDER = join(import.meta.dirname, '../../../samples/clashes');
const fileOf = (language: LanguageOfSuite): string => join(FOLDER, `${language}.json`);

/** A suite as stored: the text of a file and the lines of a patch are one string each, so that the file stays small. */
interface StoredSuite extends Omit<Suite, 'base' | 'scenarios'> {
  readonly base: Readonly<Record<string, string>>;
  readonly scenarios: readonly (Omit<SuiteScenario, 'ours' | 'theirs'> & Readonly<Record<'ours' | 'theirs', string>>)[];
}

export function readSuite(language: LanguageOfSuite): Suite {
  const stored = JSON.parse(readFileSync(fileOf(language), 'utf8')) as StoredSuite;
  return {
    ...stored,
    scenarios: stored.scenarios.map((one) => ({
      ...one,
      ours: one.ours.split('\n'),
      theirs: one.theirs.split('\n'),
    })),
  };
}

export function writeSuite(suite: Suite): void {
  const scenarios = suite.scenarios.map((one) => ({
    ...one,
    ours: one.ours.join('\n'),
    theirs: one.theirs.join('\n'),
  }));
  const stored: StoredSuite = { ...suite, scenarios };
  writeFileSync(fileOf(suite.language), `${JSON.stringify(stored, null, 1)}\n`);
}

export const baseTree = ({ base }: Suite): Tree => new Map(Object.entries(base));
