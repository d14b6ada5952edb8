import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setStage, type Stage } from './stage.ts';
import { quote, say, scene, typed } from './print.ts';

/*
 * `npm run demo:clash` shows two sessions whose changes git merges without a conflict although they don't fit together.
 * RoboSmith reports the clash before the merge.
 */

const DIVIDE = `/** Splits an amount of cents among people: one share each. */
export function splitBill(cents, people) {
  const share = Math.floor(cents / people);
  const left = cents - share * people;
  return Array.from({ length: people }, (_, index) => share + (index < left ? 1 : 0));
}
`;

/**
 * A program that makes the changes of the sessions in place of a model, so that neither a key nor a network is needed.
 */
const WORK = `import { readFileSync, writeFileSync } from 'node:fs';
if (process.argv[2] === 'rename')
  for (const file of ['src/split-bill.js', 'test/split-bill.test.js'])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('splitBill', 'divideBill'));
else {
  writeFileSync('src/receipt.js', "import { splitBill } from './split-bill.js';\\n\\nexport const receipt = (cents, names) =>\\n  splitBill(cents, names.length).map((share, index) => names[index] + ': ' + share);\\n");
  writeFileSync('test/receipt.test.js', "import assert from 'node:assert/strict';\\nimport { test } from 'node:test';\\nimport { receipt } from '../src/receipt.js';\\n\\ntest('each person has a line', () => {\\n  assert.deepEqual(receipt(3, ['Ann', 'Bob']), ['Ann: 2', 'Bob: 1']);\\n});\\n");
}
`;

const node = (worker: string): object => ({
  entry_block: 'Edit',
  blocks: { Edit: { worker, onSuccess: { type: 'return' }, onFailure: { type: 'stop_and_flag' } } },
});

const worker = (what: string): object => ({
  kind: 'command',
  command: ['node', '.vision/work.mjs', what],
  side_effects: 'idempotent',
});

const MANIFEST = {
  version: 1,
  entry: 'Rename',
  commands: { check: ['node', '--test'] },
  workers: { 'Worker:Rename': worker('rename'), 'Worker:Receipt': worker('receipt') },
  nodes: { Rename: node('Worker:Rename'), Receipt: node('Worker:Receipt') },
};

/** The part of `robosmith sessions --json` that the demonstration reads. */
interface PrintedSessions {
  readonly sessions: readonly {
    readonly semantics: readonly { readonly clashes: readonly { readonly standing: string }[] }[];
  }[];
}

const TRIES = 240;
const PAUSE_MS = 500;

const stage = setStage();
try {
  prepare(stage);
  work(stage);
  await untilProved(stage);
  show(stage);
  mergeUntested(stage);
} finally {
  stage.robosmith(['host', 'stop', '--force'], 'kept');
  stage.leave();
}

function prepare({ clone, git, test }: Stage): void {
  scene('A small repository whose tests pass');
  for (const folder of ['.vision', '.flow']) mkdirSync(path.join(clone, folder), { recursive: true });
  const files = {
    'src/split-bill.js': DIVIDE,
    '.vision/work.mjs': WORK,
    '.vision/workflows.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
    '.gitignore': '.flow/\n.vision/logs/\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(clone, name), text);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Lose no cent');
  typed('node --test');
  quote(summary(test()));
}

function work({ robosmith }: Stage): void {
  scene('Two sessions at work, each in its own branch and worktree');
  say(
    'One renames splitBill to divideBill, in all files that there are. The other adds a receipt that calls splitBill.',
  );
  for (const name of ['Rename', 'Receipt']) {
    typed(`robosmith run ${name} --session ${name}`);
    const { exitCode } = robosmith(['run', name, '--session', name, '--trust', '--detach'], 'shown');
    if (exitCode !== 0) throw new Error(`the session ${name} ended with exit code ${exitCode}`);
  }
}

/** Waits until the clash is proved in the background. */
async function untilProved({ robosmith }: Stage): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { sessions } = JSON.parse(robosmith(['sessions', '--json'], 'kept').stdout) as PrintedSessions;
    const clashes = sessions.flatMap(({ semantics }) => semantics.flatMap((one) => one.clashes));
    if (clashes.some(({ standing }) => standing === 'proved')) return;
    await sleep(PAUSE_MS);
  }
  throw new Error('the clash was not found');
}

function show({ robosmith }: Stage): void {
  scene('Before anything is merged');
  typed('robosmith sessions');
  robosmith(['sessions'], 'shown');
  typed('robosmith sessions show Receipt');
  robosmith(['sessions', 'show', 'Receipt'], 'shown');
}

/** Merges a session. */
function merge(name: string, { robosmith }: Stage): void {
  typed(`robosmith sessions merge ${name} --no-verify`);
  const { exitCode } = robosmith(['sessions', 'merge', name, '--no-verify'], 'shown');
  if (exitCode !== 0) throw new Error(`the merge of ${name} ended with exit code ${exitCode}`);
}

function mergeUntested(stage: Stage): void {
  scene('What a merge without tests would have done');
  for (const name of ['Rename', 'Receipt']) merge(name, stage);
  say('\nGit saw no conflict. The tests of the merged files:');
  typed('node --test');
  quote(summary(stage.test()));
}

/** Returns the lines of a test log that say what passed, what failed and why. */
function summary(log: string): readonly string[] {
  const lines = log.split('\n').map((line) => line.replace(/ \(.*ms\)$/, '').trim());
  return [...new Set(lines.filter((line) => /^(✔|✖) |^(SyntaxError|ℹ (pass|fail))/.test(line)))];
}
