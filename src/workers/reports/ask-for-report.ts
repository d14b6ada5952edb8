import { parseJsonObject } from '#protocol/json.ts';
import { REPORT_FOLDER, type AddedVariable, type ReportRequest } from '#protocol/report-files.ts';
import type { Files } from '#protocol/services.ts';
import { REPORTERS } from './reporters.gen.ts';

type Argv = readonly [string, ...string[]];

/** A test runner whose own options or variables make it write a report. */
interface Runner {
  /** The words that begin its command: the program, and subcommands. A list holds alternatives. */
  readonly words: readonly (string | readonly string[])[];
  /** Arguments that are added at the end. */
  readonly add?: readonly string[];
  /** Options with which nothing is added, because the command already writes such a report, or runs no tests. */
  readonly unless?: readonly string[];
  readonly variables?: readonly AddedVariable[];
  /** Globs of the reports that it writes into the project in any case. */
  readonly written?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The standard output is the report. */
  readonly isStream?: true;
}

const variable = (name: string, text: string): AddedVariable => ({ name, text, separator: 'blank' });

const junit = (option: string, name: string): readonly string[] => [`${option}=${REPORT_FOLDER}/${name}.xml`];

/** The runners that are asked by their own options. */
const RUNNERS: readonly Runner[] = [
  { words: ['go', 'test'], add: ['-json'], unless: ['-json', '-c', '-list', '-h', '-help'], isStream: true },
  {
    words: ['cargo', 'nextest', ['run', 'r']],
    add: [`--tool-config-file=robosmith:${REPORT_FOLDER}/nextest.toml`],
    unless: ['--tool-config-file', '--no-run'],
    files: { 'nextest.toml': `[profile.default.junit]\npath = "${REPORT_FOLDER}/nextest.xml"\n` },
  },
  // Cargo's own test runner has no report in its stable versions. Its output is read.
  { words: ['cargo', ['test', 't']] },
  { words: [['phpunit', 'pest', 'paratest']], add: junit('--log-junit', 'phpunit'), unless: ['--log-junit'] },
  { words: ['artisan', 'test'], add: junit('--log-junit', 'phpunit'), unless: ['--log-junit'] },
  {
    words: ['ctest'],
    add: ['--output-junit', `${REPORT_FOLDER}/ctest.xml`],
    unless: ['--output-junit', '-N', '--show-only', '--build-and-test', '-S', '--script', '--version'],
  },
  {
    words: ['bun', 'test'],
    add: ['--reporter=junit', ...junit('--reporter-outfile', 'bun')],
    unless: ['--reporter', '--reporter-outfile', '--watch'],
  },
  {
    words: ['deno', 'test'],
    add: junit('--junit-path', 'deno'),
    unless: ['--junit-path', '--reporter', '--no-run', '--watch'],
  },
  {
    words: ['dotnet', 'test'],
    variables: [variable('VSTestLogger', 'trx'), variable('VSTestResultsDirectory', REPORT_FOLDER)],
  },
  {
    words: [['mvn', 'mvnw', 'mvnd']],
    written: ['**/target/surefire-reports/TEST-*.xml', '**/target/failsafe-reports/TEST-*.xml'],
  },
  { words: [['gradle', 'gradlew']], written: ['**/build/test-results/**/TEST-*.xml'] },
  { words: ['sbt'], written: ['**/target/test-reports/TEST-*.xml'] },
];

/**
 * Asks the runners of JavaScript, Python and Ruby, however a script starts them. Each of these variables loads a
 * reporter, which removes the variables again.
 */
const BY_VARIABLES: ReportRequest = {
  files: REPORTERS,
  variables: [
    variable('NODE_OPTIONS', `--require "${REPORT_FOLDER}/node.cjs"`),
    { name: 'PYTHONPATH', text: REPORT_FOLDER, separator: 'path' },
    { name: 'RUBYLIB', text: REPORT_FOLDER, separator: 'path' },
    variable('SPEC_OPTS', `--require "${REPORT_FOLDER}/rspec.rb"`),
  ],
  written: [],
};

/** Programs that run the command in their arguments, with the words that follow their name. */
const WRAPPERS: readonly (readonly string[])[] = [
  ...[['env'], ['time'], ['nice'], ['php'], ['xvfb-run'], ['bundle', 'exec'], ['uv', 'run'], ['mise', 'exec', '--']],
  ...[['poetry', 'run'], ['pdm', 'run'], ['npx'], ['bunx'], ['dotenv', '--'], ['cross-env']],
];

/** Returns the name of a program without its folder and the endings of Windows. */
const programName = (word: string): string =>
  (word.split(/[/\\]/).at(-1) ?? word).toLowerCase().replace(/\.(?:exe|cmd|bat|phar)$/, '');

const isAssignment = (word: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);

/** Returns the words of a command without variables and programs that only run it. */
function bareCommand(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return [];
  if (isAssignment(first)) return bareCommand(rest);
  const own = [programName(first), ...rest];
  const wrapper = WRAPPERS.find((words) => words.every((word, index) => own[index] === word));
  return wrapper === undefined ? own : bareCommand(argv.slice(wrapper.length));
}

const matches = (words: readonly string[], { words: wanted }: Runner): boolean =>
  wanted.every((one, index) => (typeof one === 'string' ? [one] : one).includes(words[index] ?? ''));

const hasOption = (argv: readonly string[], options: readonly string[]): boolean =>
  argv.some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)));

/** Words behind which everything belongs to the tests, so that no option can be added at the end. */
const ENDS_OF_OPTIONS = ['--', '-args', '--args'];

/** Programs that run a script of a file, with the word that passes arguments on to the script. */
const SCRIPT_RUNNERS: readonly {
  readonly names: readonly string[];
  readonly file: string;
  readonly pass: readonly string[];
}[] = [
  { names: ['npm'], file: 'package.json', pass: ['--'] },
  { names: ['pnpm', 'yarn', 'bun'], file: 'package.json', pass: [] },
  { names: ['composer'], file: 'composer.json', pass: ['--'] },
];

/** Matches a script that is one command, without quotes and other signs that a shell interprets. */
const SIMPLE = /^[\w@%+=:,./ -]+$/;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

interface Script {
  readonly text: string;
  /** The words that precede arguments for the script's last command. */
  readonly pass: readonly string[];
}

/** Returns the script that a command such as `npm test` runs, or null if it is not such a command. */
async function scriptOf(argv: Argv, files: Files | null): Promise<Script | null> {
  const [program, ...words] = argv;
  const name = programName(program);
  const runner = SCRIPT_RUNNERS.find(({ names }) => names.includes(name));
  const script = ['run', 'run-script'].includes(words[0] ?? '') ? words[1] : name === 'bun' ? undefined : words[0];
  // An option such as `--workspace` selects other scripts.
  const hasOptions = words
    .slice(0, words.includes('--') ? words.indexOf('--') : undefined)
    .some((word) => word.startsWith('-'));
  if (runner === undefined || script === undefined || hasOptions) return null;
  const written = await files?.read(runner.file).catch(() => null);
  const scripts = parseJsonObject((written ?? '').replace(/^\uFEFF/, ''))?.['scripts'];
  const text = isFields(scripts) ? scripts[script] : undefined;
  return typeof text === 'string' ? { text, pass: words.includes('--') ? [] : runner.pass } : null;
}

/** Matches a script whose last command is Jest, with a value of its own for `NODE_OPTIONS`. */
const JEST_WITH_OPTIONS = /\bNODE_OPTIONS=[^|;&<>()]*\s(?:npx )?jest(?:\s[^|;&<>()]*)?$/;

/**
 * Jest's modules need `NODE_OPTIONS=--experimental-vm-modules`, which many scripts write. It replaces ours, so Jest is
 * asked by an option.
 */
const JEST = ['--testResultsProcessor', `${REPORT_FOLDER}/jest.cjs`] as const;

/** A command that was changed so that its test runner writes a report. */
export interface ReportingCommand {
  readonly argv: Argv;
  readonly reports: ReportRequest;
  /** True if the standard output is the report. */
  readonly isStream: boolean;
}

const requestOf = ({ files = {}, variables = [], written = [] }: Runner): ReportRequest => ({
  files,
  variables,
  written,
});

/**
 * Adds to a command what makes its runner write a report. `words` are the runner's own command; `pass`, for a script,
 * precedes the arguments that go to it.
 */
function asking(
  argv: Argv,
  words: readonly string[],
  pass: readonly string[] | null,
  runner: Runner,
): ReportingCommand {
  const { add = [], unless = [], isStream = false } = runner;
  const isUnchanged =
    add.length === 0 ||
    (isStream && pass !== null) ||
    words.some((word) => ENDS_OF_OPTIONS.includes(word)) ||
    hasOption([...words, ...argv], unless);
  const [program, ...rest] = argv;
  return {
    argv: isUnchanged ? argv : [program, ...rest, ...(pass ?? []), ...add],
    reports: requestOf(runner),
    isStream: isStream && !isUnchanged,
  };
}

/**
 * Returns the command with what makes its test runner write a report. Known runners are asked by their options, others
 * by variables, which programs that are no test runners ignore.
 */
export async function askForReport(argv: Argv, files: Files | null): Promise<ReportingCommand> {
  const own = bareCommand(argv);
  const direct = RUNNERS.find((runner) => matches(own, runner));
  if (direct !== undefined) return asking(argv, own, null, direct);
  const script = await scriptOf(argv, files);
  const unasked = { argv, reports: BY_VARIABLES, isStream: false };
  if (script === null) return unasked;
  const { text, pass } = script;
  if (JEST_WITH_OPTIONS.test(text) && !hasOption([...argv, ...text.split(' ')], ['--testResultsProcessor']))
    return { ...unasked, argv: [...argv, ...pass, ...JEST] };
  const words = SIMPLE.test(text) ? bareCommand(text.trim().split(/\s+/)) : [];
  const named = RUNNERS.find((runner) => matches(words, runner));
  return named === undefined ? unasked : asking(argv, words, pass, named);
}
