import type { StateName } from './states.ts';

/** How a block of commands is executed. */
export interface ExecutedBlock {
  readonly state: StateName;
  /** The exit code of each command. */
  readonly codes: readonly number[];
  /** True if the commands are alternatives: each one is executed in the initial state. */
  readonly apart?: true;
}

export interface LeftBlock {
  /** The reason why this test does not execute the block. */
  readonly reason: string;
}

const CI: LeftBlock = { reason: '.ci/run executes it as it is written' };
const PACKAGE: LeftBlock = {
  reason: 'it needs the published package; test/e2e/package installs and starts the packed one',
};
const TUTORIAL: LeftBlock = { reason: 'test/docs/tutorial.test.ts executes it' };

const DO: LeftBlock = {
  reason: 'it starts an agent; test/e2e/cli/do.test.ts runs these flags with a stand-in for claude',
};

const FORGE: LeftBlock = {
  reason: 'it needs a forge; test/e2e/cli/issue-and-pull-request.test.ts runs these flags with a stand-in for gh',
};

/** The blocks of commands of each page, in order. A page or block that is missing here fails the test. */
export const BLOCKS: Readonly<Record<string, readonly (ExecutedBlock | LeftBlock)[]>> = {
  'README.md': [PACKAGE, DO, { state: 'session', codes: [0] }, CI, CI, PACKAGE],
  'docs/cookbook/index.md': [{ state: 'empty', codes: [0, 0] }],
  'docs/guides/ci.md': [
    { state: 'project', codes: [0, 0, 0] },
    { state: 'project', codes: [0] },
    { state: 'session', codes: [0] },
  ],
  'docs/guides/company-networks.md': [
    { state: 'project', codes: [0, 0] },
    { state: 'project', codes: [0, 0] },
    { state: 'project', codes: [0] },
  ],
  'docs/guides/do.md': [DO, DO, DO, DO],
  'docs/guides/export.md': [
    { state: 'project', codes: [0, 0] },
    { state: 'project', codes: [0, 1] },
  ],
  'docs/guides/gates.md': [
    { state: 'waiting', codes: [0, 0, 0, 0] },
    { state: 'waiting', codes: [0, 2, 0, 0, 1], apart: true },
    { state: 'project', codes: [0, 0] },
  ],
  'docs/guides/inspector.md': [
    { reason: 'it serves a page until Ctrl-C; test/webview/actors.test.ts looks at it in Chromium' },
    { reason: 'it serves a page until Ctrl-C; test/webview/actors.test.ts looks at it in Chromium' },
  ],
  'docs/guides/issues.md': [FORGE, FORGE],
  'docs/guides/keys-and-budgets.md': [
    // No provider can be reached.
    { state: 'project', codes: [0, 0, 0, 1] },
    { state: 'project', codes: [0, 0, 0] },
  ],
  'docs/guides/local-models.md': [
    { state: 'project', codes: [0, 0] },
    { state: 'project', codes: [0] },
  ],
  'docs/guides/runs.md': [
    { state: 'waiting', codes: [0, 0, 0, 3, 0], apart: true },
    { state: 'project', codes: [0, 0, 0, 0, 0] },
    { state: 'project', codes: [0] },
    { state: 'project', codes: [1, 1, 1] },
  ],
  'docs/guides/security.md': [{ state: 'project', codes: [0, 0, 0] }],
  'docs/index.md': [PACKAGE],
  'docs/troubleshooting.md': [
    { state: 'project', codes: [0, 0, 0, 0] },
    { state: 'project', codes: [0, 0, 0] },
  ],
  'docs/tutorial.md': Array.from({ length: 9 }, () => TUTORIAL),
};
