import type { BuiltInWorkerName } from '#protocol/built-in-worker-names.ts';
import type { Worker } from '#protocol/worker.ts';
import { commandWorker } from './commands/command.ts';
import { contextQuery } from './context/context-query.ts';
import { documentationWriter, fileSystemWriter } from './writing/write-files.ts';
import { diff } from './git/diff.ts';
import { gitCommit } from './git/git-commit.ts';
import { pullRequest } from './git/pull-request.ts';
import { loomWorker } from './loom/loom-worker.ts';
import { projectCommandWorker } from './commands/project-command.ts';
import { updateChangePlan } from './update-change-plan.ts';
import { verdictWorker } from './verdict.ts';

/**
 * The worker of blocks that a person completes. The engine halts the run before the worker starts, so `execute` is
 * never called.
 */
const manualIntervention: Worker = {
  sideEffects: 'none',
  manual: true,
  execute: () => Promise.reject(new Error('this block is answered by a person, not by a worker')),
};

const TEST = projectCommandWorker({ command: 'test', segment: 'TEST_RESULT', finding: 'TEST_FAILURE' });
const LINT = projectCommandWorker({ command: 'lint', segment: 'LINT_RESULT', finding: 'LINT_PROBLEM' });
const BUILD = projectCommandWorker({ command: 'build', segment: 'BUILD_RESULT', finding: 'BUILD_PROBLEM' });

const WORKERS: Readonly<Record<BuiltInWorkerName, Worker>> = {
  'Internal:TestRunner': TEST,
  'Internal:RunLinter': LINT,
  'Internal:RunBuilder': BUILD,
  'Internal:Command': commandWorker,
  'Internal:FileSystemWriter': fileSystemWriter,
  'Internal:DocumentationWriter': documentationWriter,
  'Internal:UpdateChangePlan': updateChangePlan,
  'Internal:ContextQuery': contextQuery,
  'Internal:GitCommit': gitCommit,
  'Internal:Diff': diff,
  'Internal:PullRequest': pullRequest,
  'Internal:Loom': loomWorker,
  'Internal:Verdict': verdictWorker,
  'Internal:ManualIntervention': manualIntervention,
};

export const BUILT_IN_WORKERS: ReadonlyMap<string, Worker> = new Map(Object.entries(WORKERS));
