/** The workers that a manifest may use without declaring them. */
export const BUILT_IN_WORKER_NAMES = [
  'Internal:TestRunner',
  'Internal:RunLinter',
  'Internal:RunBuilder',
  'Internal:Command',
  'Internal:FileSystemWriter',
  'Internal:DocumentationWriter',
  'Internal:UpdateChangePlan',
  'Internal:ContextQuery',
  'Internal:GitCommit',
  'Internal:Diff',
  'Internal:PullRequest',
  'Internal:Loom',
  'Internal:Verdict',
  'Internal:ManualIntervention',
] as const;

export type BuiltInWorkerName = (typeof BUILT_IN_WORKER_NAMES)[number];
