import { CLI } from './requirements/cli.ts';
import { DECISIONS } from './requirements/decisions.ts';
import { DISPOSITIONS } from './requirements/dispositions.ts';
import { ENGINE } from './requirements/engine.ts';
import { MANIFEST } from './requirements/manifest.ts';
import { OVERVIEW } from './requirements/overview.ts';
import { SEEDS } from './requirements/seeds.ts';
import { TASKS } from './requirements/tasks.ts';
import { WORKERS } from './requirements/workers.ts';
import { WORKTREES } from './requirements/worktrees.ts';
import { WORKTREES_GIT } from './requirements/worktrees-git.ts';

/**
 * Every requirement of the specification and of the decision records, by id. Tests cite these ids; coverage.test.ts
 * finds the ids that no test cites.
 */
export const REQUIREMENTS = {
  ...OVERVIEW,
  ...MANIFEST,
  ...ENGINE,
  ...CLI,
  ...WORKERS,
  ...WORKTREES_GIT,
  ...DISPOSITIONS,
  ...TASKS,
  ...WORKTREES,
  ...SEEDS,
  ...DECISIONS,
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
