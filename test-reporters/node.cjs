'use strict';
// Loaded into the Node processes of a test command by NODE_OPTIONS. If the process is a test runner, it gets a reporter
// that writes a report into this folder, in addition to its own reporters.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const { failure, openReport, restoreEnvironment } = require('./record.cjs');

const here = (name) => path.join(__dirname, name);

/** Returns the package of the program that this process runs: its folder and its `package.json`. */
function packageOf(main) {
  for (let folder = path.dirname(fs.realpathSync(main)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json');
    const data = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
    if (typeof data.name === 'string') return { folder, name: data.name };
    if (folder === path.dirname(folder)) return { folder, name: '' };
  }
}

const has = (...names) =>
  process.argv.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));

const CONFIGS = /^vite(?:st)?\.(?:config|workspace)\.[cm]?[jt]s$/;

/** Returns true if Vitest's configuration may name reporters: reporters on the command line would replace them. */
function mayNameReporters(folder) {
  const named = process.argv.flatMap((word, index) => {
    if (word === '--config' || word === '-c') return process.argv[index + 1] ?? [];
    return word.startsWith('--config=') ? word.slice('--config='.length) : [];
  });
  const found = fs.readdirSync(folder).filter((name) => CONFIGS.test(name));
  return [...named, ...found].some((name) => {
    const file = path.resolve(folder, name);
    return !fs.existsSync(file) || fs.readFileSync(file, 'utf8').includes('reporters');
  });
}

function vitest() {
  const root = process.argv.findIndex((word) => word === '--root' || word === '-r' || word === '--dir');
  const assigned = process.argv.find((word) => word.startsWith('--root='))?.slice('--root='.length);
  const folder = path.resolve(assigned ?? (root < 0 ? '.' : (process.argv[root + 1] ?? '.')));
  const subcommands = ['bench', 'list', 'init', 'watch', 'dev'];
  if (subcommands.includes(process.argv[2]) || has('--watch', '-w', '--merge-reports', '--mergeReports')) return;
  const isNamed = has('--reporter', '--reporters');
  if (!isNamed && mayNameReporters(folder)) return;
  if (!isNamed) process.argv.push('--reporter=default');
  process.argv.push(`--reporter=${here('vitest.mjs')}`);
  restoreEnvironment();
}

/** Wraps the function of Jest that runs the tests: its result has all tests. */
function jest() {
  restoreEnvironment();
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (request !== '@jest/core' || typeof loaded?.runCLI !== 'function') return loaded;
    return new Proxy(
      {},
      {
        get: (_target, key) => (key === 'runCLI' ? (...call) => runJest(loaded.runCLI, call) : loaded[key]),
        has: (_target, key) => key in loaded,
      },
    );
  };
}

async function runJest(runCLI, call) {
  const result = await runCLI(...call);
  require('./jest.cjs')(result.results);
  return result;
}

function mocha(folder) {
  const name = ['lib/mocha.cjs', 'lib/mocha.js'].find((one) => fs.existsSync(path.join(folder, one)));
  const Mocha = require(path.join(folder, name));
  const { run } = Mocha.prototype;
  Mocha.prototype.run = function (...call) {
    const Reporter = this._reporter;
    this._reporter = class extends Reporter {
      constructor(runner, ...options) {
        super(runner, ...options);
        listenToMocha(runner);
      }
    };
    return run.apply(this, call);
  };
}

function listenToMocha(runner) {
  restoreEnvironment();
  const report = openReport('mocha');
  runner.on('pass', (test) => report.test('passed', test.titlePath(), { file: test.file }));
  runner.on('pending', (test) => report.test('skipped', test.titlePath(), { file: test.file }));
  runner.on('fail', (test, error) => report.test('failed', test.titlePath(), failure(error, test.file)));
  runner.once('end', () => report.end());
}

function jasmine() {
  // With several workers Jasmine takes reporters from its configuration only.
  if (has('--parallel')) return;
  process.argv.push(`--helper=${here('jasmine.mjs')}`);
}

function playwright() {
  if (process.argv[2] !== 'test') return;
  process.env.PW_TEST_REPORTER = here('playwright.cjs');
  restoreEnvironment();
}

function tap() {
  restoreEnvironment();
  if (has('-o', '--output-file')) return;
  if (
    process.argv[2] === undefined ||
    !process.argv[2].match(/^(?:repl|replay|config|report|version|help|plugin|list|debug|dump-config|build|versions)$/)
  )
    process.argv.push(`--output-file=${here(`tap-${process.pid}.tap`)}`);
}

/** Runs `node --test` once more, with a second reporter: the options of this process can't be changed any more. */
function nodeTest() {
  restoreEnvironment();
  const options = process.execArgv;
  const count = (name) => options.filter((word) => word === name || word.startsWith(`${name}=`)).length;
  const [reporters, places] = [count('--test-reporter'), count('--test-reporter-destination')];
  if (reporters > 1 && places !== reporters) return;
  const isSpec = Number(process.versions.node.split('.')[0]) >= 23 || process.stdout.isTTY === true;
  const own = [
    ...(reporters === 0 ? [`--test-reporter=${isSpec ? 'spec' : 'tap'}`] : []),
    ...(places === 0 ? ['--test-reporter-destination=stdout'] : []),
    `--test-reporter=${require('node:url').pathToFileURL(here('node-test.mjs'))}`,
    '--test-reporter-destination=stdout',
  ];
  const { status, signal } = require('node:child_process').spawnSync(
    process.execPath,
    [...options, ...own, ...process.argv.slice(1)],
    { stdio: 'inherit' },
  );
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}

const RUNNERS = {
  jest,
  'jest-cli': jest,
  'react-scripts': jest,
  '@craco/craco': jest,
  vitest,
  mocha,
  jasmine,
  playwright,
  '@playwright/test': playwright,
  tap,
  '@tapjs/run': tap,
};

function begin() {
  if (!isMainThread || process.env.ROBOSMITH_ADDED === undefined) return;
  if (process.execArgv.includes('--test')) {
    if (process.env.NODE_TEST_CONTEXT === undefined && !process.execArgv.includes('--watch')) nodeTest();
    return;
  }
  if (process.argv[1] === undefined || !fs.existsSync(process.argv[1])) return;
  const { folder, name } = packageOf(process.argv[1]);
  if (Object.hasOwn(RUNNERS, name)) RUNNERS[name](folder);
}

try {
  begin();
} catch {
  // A test command must run as it would without this file.
}
