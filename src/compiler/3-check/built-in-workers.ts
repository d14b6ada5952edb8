/** Workers that need no declaration (spec/workers.md "Internal workers"). */
export const BUILT_IN_WORKERS: readonly string[] = [
  'Internal:TestRunner',
  'Internal:RunLinter',
  'Internal:RunBuilder',
  'Internal:Command',
  'Internal:FileSystemWriter',
  'Internal:Loom',
  'Internal:UpdateChangePlan',
  'Internal:ContextQuery',
  'Internal:GitCommit',
  'Internal:DocumentationWriter',
  'Internal:ManualIntervention',
];
