import { section } from './section.ts';

export const OVERVIEW = {
  ...section(2, 'overview: What it is', {
    'overview.engine-decides-nothing':
      'Every transition is a row of the manifest; the engine decides nothing by itself.',
    'overview.person-only-at-halt': 'A person is called only when a block halts.',
  }),
  ...section(2, 'overview: Names', {
    'overview.names.package':
      'The npm package is robo-smith with the command robosmith, packed from dist/npm with a generated manifest.',
    'overview.names.repository': "The repository's package.json is called robo-smith-extension.",
    'overview.licence': 'The licence is MIT, in the repository and in the package.',
  }),
  ...section(2, "README.md#Folders in a user's project", {
    'overview.init.creates': '`robosmith init` creates .flow/, a starter manifest and registry, and the ignore rules.',
    'overview.init.overwrites-nothing': 'It never overwrites a file that exists.',
    'overview.manifest-path': 'The manifest is .vision/workflows.json.',
  }),
  ...section(2, 'overview: Success criteria', {
    'success.1-parse':
      'A multi-step, multi-worker node with a troubleshooting side loop parses; the failure links to that node.',
    'success.2-autonomous': 'A two-block node runs without a click; block 1 turns amber then green, block 2 amber.',
    'success.2-halts': 'When the signal is missing the run halts and block 1 is red.',
  }),
  ...section('later', 'overview: Success criteria', {
    'success.3-terminal': 'The Integration Panel opens a terminal named after the branch with the worktree as its cwd.',
  }),
  ...section(5, 'overview: Success criteria', {
    'success.4-failover': "A 429 on key 1 fails over to key 2 and the caller gets key 2's answer.",
    'success.5-rerun': 'A logged AI call is loaded, edited, re-run, and shown side by side with the original.',
  }),
  ...section(6, 'overview: Success criteria', {
    'success.6-race':
      'Two tasks plan the same file: the second is queued with Clash and starts by itself after the merge.',
  }),
  ...section(3, "README.md#Folders in a user's project", {
    'overview.trust-outside-repo':
      "Trust is kept by content hash in the user's own config folder, never in the repository.",
  }),
} as const;
