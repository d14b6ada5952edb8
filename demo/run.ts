import { stripVTControlCharacters } from 'node:util';
import { setStage, type Stage } from './stage.ts';
import { diff, quote, say, scene, typed } from './print.ts';

const RUN = ['run', 'Fix_Bug', '--in', '.'];

/** The part of a run's Response that the demonstration prints. */
interface PrintedResponse {
  readonly data: {
    readonly payload: readonly {
      readonly type: string;
      readonly content: string;
      readonly source: { readonly block: string } | null;
    }[];
  };
}

const stage = setStage();
process.once('SIGINT', () => {
  stage.leave();
  process.exit(130);
});
try {
  setUp(stage);
  repair(stage);
  getStuck(stage);
  say('\nThat was all in a temporary folder, which is gone now. In your own project, start with:\n');
  say('  npx robo-smith init\n');
} finally {
  stage.leave();
}

function setUp({ robosmith, test }: Stage): void {
  scene('A small repository with a bug');
  say('split-bill divides a bill among people, and loses a cent now and then. One of its tests says so:');
  typed('node --test');
  quote(linesWith(test(), /^(✔|✖|not ok|ok) .*(split|cent)/));
  say('\ngit, files and tests are real here. What a model would say comes from a script: no key, no network.');
  typed('robosmith init');
  expectCode(robosmith(['init'], 'shown'), 0);
  typed('robosmith validate');
  expectCode(robosmith(['validate'], 'shown'), 0);
}

function repair({ robosmith, git }: Stage): void {
  const args = [...RUN, '--input', 'Cents get lost', '--script', '.vision/answers.json', '--trust', '--json'];
  scene('Write, test, troubleshoot, test again');
  typed(`${shown(args)} > response.json`);
  const run = robosmith(args, 'kept');
  expectCode(run, 0);
  say('\nThe first idea failed a test. This is the log that Troubleshoot found in its payload (from response.json):\n');
  quote(excerptOfLog(JSON.parse(run.stdout) as PrintedResponse));
  typed('git diff');
  diff(git('diff', '--', 'src'));
}

function getStuck({ robosmith, git }: Stage): void {
  git('restore', 'src');
  const args = [...RUN, '--script', '.vision/stuck.json'];
  scene('And when it does not work out');
  say('The same workflow, and a model that has one idea only. A person decides; nothing is guessed.');
  typed(shown(args));
  expectCode(robosmith(args, 'shown'), 3);
}

function shown(args: readonly string[]): string {
  return `robosmith ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`;
}

/** Returns up to three lines of the failed test run's log that explain the failure. */
function excerptOfLog({ data }: PrintedResponse): readonly string[] {
  const log = data.payload.find(({ type }) => type === 'TEST_RESULT')?.content ?? '';
  return linesWith(log, /^\s*(✖ nobody|AssertionError|error: |not ok .*nobody)|shares are/).slice(-3);
}

/** Returns the distinct lines of a log that match a pattern, without colours and durations. */
function linesWith(log: string, pattern: RegExp): readonly string[] {
  return [
    ...new Set(
      stripVTControlCharacters(log)
        .split(/\r?\n/)
        .filter((line) => pattern.test(line))
        .map((line) => line.trim().replace(/ \([\d.]+ms\)$/, '')),
    ),
  ];
}

function expectCode({ exitCode }: { readonly exitCode: number }, expected: number): void {
  if (exitCode !== expected) throw new Error(`the command ended with ${exitCode}, not with ${expected}`);
}
