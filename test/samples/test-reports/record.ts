/**
 * Records what real test runners do with the projects beside this file: exit code, output and reports, as
 * `recorded/<name>.json`. Usage: `node test/samples/test-reports/record.ts [name…]`. The runners must be installed, those
 * of npm in the folder that `RUNNERS` names. A runner that is missing is left out.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createProcesses } from '#io/process/process.ts';
import { createFiles } from '#io/transactions/files.ts';
import { prepareTests } from '#workers/index.ts';

type Argv = readonly [string, ...string[]];

const mavenGoal = (plugin: string, goal: string): string => `org.apache.maven.plugins:maven-${plugin}-plugin:${goal}`;

/** The recordings: the project and the command. */
const RECORDINGS: Readonly<Record<string, readonly [string, Argv]>> = {
  'node-test': ['node', ['node', '--test']],
  'node-test-piped': ['node', ['sh', '-c', 'node --test a.test.mjs | cat']],
  'node-test-none': ['node', ['node', '--test', '--test-name-pattern=zzz', 'a.test.mjs']],
  vitest: ['vitest', ['npx', 'vitest', 'run']],
  'vitest-none': ['vitest', ['npx', 'vitest', 'run', '-t', 'zzz']],
  jest: ['jest', ['npx', 'jest']],
  'jest-modules': ['jest', ['npm', 'test']],
  'jest-none': ['jest', ['npx', 'jest', '-t', 'zzz', 'a.test.js']],
  mocha: ['mocha', ['npx', 'mocha', 'a.test.cjs']],
  'mocha-parallel': ['mocha', ['npx', 'mocha', '--parallel', '-R', 'dot', 'a.test.cjs']],
  'mocha-none': ['mocha', ['npx', 'mocha', '-g', 'zzz', 'a.test.cjs']],
  playwright: ['playwright', ['npx', 'playwright', 'test', '--reporter=line']],
  jasmine: ['jasmine', ['npx', 'jasmine', '--random=false']],
  tape: ['tape', ['npx', 'tape', 't.js']],
  'node-tap': ['node-tap', ['npx', 'tap', 'a.test.js', '--disable-coverage']],
  'ava-tap': ['ava', ['npx', 'ava', '--tap']],
  ava: ['ava', ['npx', 'ava']],
  pytest: ['python', ['python3', '-m', 'pytest', 'test_sum.py']],
  'pytest-line': ['python', ['sh', '-c', 'python3 -m pytest -q --tb=line test_sum.py || true']],
  unittest: ['python', ['python3', '-m', 'unittest', 'test_u']],
  'unittest-none': ['python', ['python3', '-m', 'unittest', '-k', 'zzz', 'test_u']],
  rspec: ['rspec', ['rspec', '--seed', '1']],
  'rspec-none': ['rspec', ['rspec', '--tag', 'zzz']],
  minitest: ['minitest', ['ruby', 'test_a.rb', '--seed', '1']],
  phpunit: ['phpunit', ['phpunit', 'ATest.php']],
  go: ['go', ['go', 'test', './...']],
  'go-none': ['go', ['go', 'test', '-run', 'zzz', './...']],
  cargo: ['cargo', ['cargo', 'test']],
  'cargo-none': ['cargo', ['cargo', 'test', 'zzz']],
  ctest: ['ctest', ['sh', '-c', 'cmake -S . -B build > cmake.log']],
  bun: ['bun', ['bun', 'test']],
  'bun-script': ['bun', ['bun', 'run', 'test']],
  deno: ['deno', ['deno', 'test']],
  maven: [
    'maven',
    [
      ...(['mvn', '-o', '-q', '-Dmaven.repo.local=/usr/share/maven-repo'] as const),
      ...[mavenGoal('compiler', 'testCompile'), mavenGoal('surefire', 'test')],
    ],
  ],
};

/** Commands that run, after that of the recording, in the same folder; their result is recorded. */
const THEN: Readonly<Record<string, Argv>> = { ctest: ['ctest', '--test-dir', 'build'] };

const HERE = import.meta.dirname;

async function record(name: string, project: string, argv: Argv): Promise<void> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'recorded-')));
  cpSync(path.join(HERE, 'projects', project), folder, { recursive: true });
  const { RUNNERS: runners } = process.env;
  if (runners !== undefined) symlinkSync(path.join(runners, 'node_modules'), path.join(folder, 'node_modules'));
  const then = THEN[name];
  const { signal } = new AbortController();
  if (then !== undefined) await createProcesses().run({ argv, cwd: folder }, signal);
  const command = then ?? argv;
  const tests = await prepareTests({ argv: command, cwd: folder, files: createFiles(folder), allowEmpty: false });
  // The processes of a recording keep what the runner printed, before it is converted.
  let printed = '';
  const processes = createProcesses();
  const result = await processes.run(tests.request, signal, (text) => (printed += text));
  rmSync(folder, { recursive: true });
  // No path of the machine that records is kept.
  const places = [
    [folder, '/project'],
    ...(runners === undefined ? [] : [[runners, '/project']]),
    [path.dirname(path.dirname(process.execPath)), '/usr'],
    [homedir(), '/home/user'],
  ];
  const local = (text: string): string =>
    places
      .reduce((rest, [from = '', to = '']) => rest.replaceAll(from, to), text)
      .replaceAll(/hostname="[^"]*"/g, 'hostname="host"')
      // Surefire lists the properties of the machine.
      .replaceAll(/\s*<properties>.*?<\/properties>/gs, '')
      .replaceAll(/robosmith-reports-\w{6}/g, 'robosmith-reports-000000');
  const reports = (result.reports ?? []).map((report) => ({
    name: report.name.replace(/-[0-9-]+\./, '.'),
    ...('text' in report ? { text: local(report.text) } : report),
  }));
  if (result.ended === 'not_started') return console.log(`${name}: ${result.error ?? 'not started'}`);
  const recording = { command, project, exitCode: result.exitCode, output: local(printed), reports };
  mkdirSync(path.join(HERE, 'recorded'), { recursive: true });
  writeFileSync(path.join(HERE, 'recorded', `${name}.json`), `${JSON.stringify(recording, null, 2)}\n`);
  console.log(`${name}: exit code ${String(result.exitCode)}, ${reports.length} reports`);
}

const wanted = process.argv.slice(2);
for (const [name, [project, argv]] of Object.entries(RECORDINGS))
  if (wanted.length === 0 || wanted.includes(name)) await record(name, project, argv);
