import type { AgentName } from '#protocol/approvals.ts';
import { commandsText, type WorktreeSection, worktreeText } from '../starter/manifest.ts';

/** Who does the work: a coding agent, another program that reads a prompt, or a model that is called with a key of the user. */
export type Doer =
  | {
      readonly kind: 'agent';
      readonly preset: AgentName;
      readonly model: string | null;
      /** Whether it may run commands, such as the tests, in a sandbox. */
      readonly isSandboxed: boolean;
    }
  | { readonly kind: 'program'; readonly command: readonly string[] }
  | { readonly kind: 'model'; readonly provider: string; readonly model: string; readonly baseUrl: string | null };

export interface DoSettings {
  readonly doer: Doer;
  /** Null: nothing checks the change. */
  readonly check: readonly string[] | null;
  readonly reviews: number;
  /** The limit of the work in US dollars; null for none. */
  readonly budgetUsd: number | null;
  readonly worktree: WorktreeSection | null;
}

/** The names in the built-in workflow that other code relies on. */
export const NAMES = { node: 'Do', work: 'Do__Work', decide: 'Do__Decide', input: 'task' } as const;

/** How often the agent works until the check passes, before a person is asked. */
const ATTEMPTS = 3;

/** What the reviewers look at, in this order. */
const FOCUS = [
  'Does it do what the task asks, at its edges too: empty input, wrong input, two at once? Object only to what a user would notice, with file and line.',
  'Would its tests fail without the change? Is an existing test weakened, skipped or deleted? Object only to these, with file and line.',
  'Can it do harm: break another caller, lose data on a failure, trust foreign input, show a secret? Object only with a way in which it happens, with file and line.',
] as const;

export const MOST_REVIEWS = FOCUS.length;

const json = (value: unknown): string => JSON.stringify(value);

/** Returns a worker; `doer` with the right to change files, or to read only. */
function workerText({ doer, budgetUsd }: DoSettings, approvals: 'edit' | 'read'): string {
  if (doer.kind === 'agent') {
    const { preset, model } = doer;
    const most = approvals === 'edit' && doer.isSandboxed ? 'sandboxed' : approvals;
    const args = budgetUsd === null ? [] : ['--max-budget-usd', String(budgetUsd)];
    return [
      `"kind": "agent", "preset": ${json(preset)}, "approvals": ${json(most)}`,
      ...(model === null ? [] : [`"model": ${json(model)}`]),
      ...(args.length === 0 ? [] : [`"args": [${args.map(json).join(', ')}]`]),
    ].join(', ');
  }
  if (doer.kind === 'program') {
    // The check and the person judge what it has done, so it need not know of signals. A review must end with one.
    const signals = approvals === 'edit' ? ', "signals": { "0": "SIGNAL:SUCCESS" }' : '';
    return `"kind": "agent", "command": [${doer.command.map(json).join(', ')}], "approvals": ${json(approvals)}${signals}`;
  }
  const { provider, model, baseUrl } = doer;
  return [
    `"kind": "ai", "provider": ${json(provider)}, "model": ${json(model)}`,
    ...(baseUrl === null ? [] : [`"base_url": ${json(baseUrl)}`]),
    ...(approvals === 'edit' ? ['"mode": "loom"'] : []),
  ].join(', ');
}

function workersText(settings: DoSettings): string {
  const rows = [
    `"Worker:Agent": { ${workerText(settings, 'edit')} }`,
    ...(settings.reviews === 0 ? [] : [`"Worker:Reviewer": { ${workerText(settings, 'read')} }`]),
  ];
  return `  "workers": {\n${rows.map((row) => `    ${row}`).join(',\n')}\n  },\n`;
}

const reviewName = (index: number): string => `Review_${String(index + 1)}`;

function reviewNodes(reviews: number): string {
  return FOCUS.slice(0, reviews)
    .map(
      (focus, index) => `,
    "${reviewName(index)}": {
      "entry_block": "Review",
      "blocks": {
        "Review": {
          "worker": "Worker:Reviewer", "access": { "mode": "strict" },
          "contract": ${json(`You review a change that you did not write. ${focus}`)}
        }
      }
    }`,
    )
    .join('');
}

/** Returns the blocks between the work and the decision: the change as a diff, the reviews, and what follows from them. */
function reviewBlocks(reviews: number): string {
  if (reviews === 0) return '';
  const names = FOCUS.slice(0, reviews).map((_, index) => reviewName(index));
  return `
        "Diff": { "worker": "Internal:Diff", "on": { "SUCCESS": "FORK:${names.join(',')}:Count" } },
        // One objection sends the change back, twice at most; then the person decides.
        "Count": {
          "worker": "Internal:Verdict", "params": { "rule": "all" },
          "on": { "SUCCESS": "JUMP:Decide", "FAILURE": [{ "condition": { "id": "visits.less_than", "args": [3] }, "action": "JUMP:Work" }, "JUMP:Decide"] }
        },`;
}

/** A model gets the files in its prompt; an agent reads the project itself. */
const filesText = ({ doer }: DoSettings): string => (doer.kind === 'model' ? ' "artifact": ["**"],' : '');

const checkText = ({ check }: DoSettings): string =>
  check === null ? '' : `\n          "check": { "command": "test", "attempts": ${String(ATTEMPTS)} },`;

const CONTRACT =
  'Do the task. Find out how the project is built before you change it; change as little as possible, where the cause is, in the style of the files around. Add or extend a test if the project has tests. Weaken or delete no test. If a person or a reviewer has asked for a change, make it, or say why it is not needed.';

const budgetText = ({ doer, budgetUsd }: DoSettings): string =>
  doer.kind !== 'model' || budgetUsd === null ? '' : `  "budgets": { "run": { "usd": ${String(budgetUsd)} } },\n`;

/** Returns the manifest of `robosmith do`: an agent works until the check passes, and a person decides. */
export function workflowText(settings: DoSettings): string {
  const { check, reviews, worktree } = settings;
  return `{
  // The workflow of \`robosmith do\`: ${check === null ? 'an agent works' : 'an agent works until the check passes'}${reviews === 0 ? '' : ', reviewers look'}, and a person decides.
  // Run it with \`robosmith run --input "..."\`.
  "version": 1,
  "entry": ${json(NAMES.node)},
  "inputs": { ${json(NAMES.input)}: { "description": "What should change." } },
  "default_transitions": { "FAIL_DEFAULT": "HALT_AND_FLAG" },
${budgetText(settings)}  "commands": ${commandsText(check === null ? {} : { test: check })},
${worktreeText(worktree)}${workersText(settings)}  "nodes": {
    "Do": {
      "entry_block": "Work",
      "blocks": {
        "Work": {
          "worker": "Worker:Agent", "access": { "mode": "shared" },${filesText(settings)}${checkText(settings)}
          // A change that somebody asks for later continues the agent's conversation.
          "params": { "conversation": "block" },
          "contract": ${json(CONTRACT)},
          "on": { "SUCCESS": "JUMP:${reviews === 0 ? 'Decide' : 'Diff'}" }
        },${reviewBlocks(reviews)}
        "Decide": {
          "worker": "Internal:ManualIntervention", "max_rejections": 100,
          "contract": "Look at the change. Proceed to accept it, or reject it with what should change.",
          "on": { "SUCCESS": "RETURN", "REJECTED": "JUMP:Work" }
        }
      }
    }${reviewNodes(reviews)}
  }
}
`;
}
