import { CLI } from './requirements/cli.ts';
import { DECISIONS } from './requirements/decisions.ts';
import { DISPOSITIONS } from './requirements/dispositions.ts';
import { ENGINE } from './requirements/engine.ts';
import { MANIFEST } from './requirements/manifest.ts';
import { OVERVIEW } from './requirements/overview.ts';
import { ACCEPTANCE } from './requirements/acceptance.ts';
import { TASKS } from './requirements/tasks.ts';
import { WORKERS } from './requirements/workers.ts';
import { WORKTREES } from './requirements/worktrees.ts';
import { WORKTREES_GIT } from './requirements/worktrees-git.ts';

/**
 * Every requirement, by id, including the rules of decision records. Tests cite these ids; coverage.test.ts
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
  ...ACCEPTANCE,
  ...DECISIONS,
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
