import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEMPLATES } from '../../src/compiler/generated/templates.gen.ts';
import type { Project } from './changes.ts';
import { type MockModel, startMockModel } from './mock-model.ts';
import { mockAnswer, retriesIn } from './mock-answer.ts';
import { SEMVER_UTILS } from './semver-utils.ts';
import { createUser, type User } from './user.ts';
import { WCWIDTH } from './wcwidth.ts';

/*
 * `npm run test:adoption`: goes from the installation of RoboSmith to a merged change, in two published packages and
 * with each template, as a user with a local model server would. Prints the number of commands and the time. Fails if
 * the first merged change took too much, or if a change or its tests are missing.
 */

const MOST_COMMANDS = 6;
const MOST_MINUTES = 5;
const PROJECTS: readonly Project[] = [WCWIDTH, SEMVER_UTILS];

/** The effort for one template in one project. */
interface Row {
  readonly project: string;
  readonly template: string;
  readonly commands: number;
  readonly edits: number;
  readonly seconds: number;
  readonly stumbles: readonly string[];
  readonly result: string;
}

interface Bench {
  readonly folder: string;
  readonly tarball: string;
  readonly model: MockModel;
  readonly only: string | undefined;
}

/**
 * Downloads a package, installs its dependencies and makes a git repository of it. This is the user's starting point.
 */
async function downloaded({ name, version }: Project, { folder }: Bench): Promise<string> {
  const user = createUser(folder, []);
  const file = (await user.types('npm', 'pack', '--silent', `${name}@${version}`)).out.trim();
  await user.types('tar', '-xzf', file);
  const at = join(folder, name);
  cpSync(join(folder, 'package'), at, { recursive: true });
  rmSync(join(folder, 'package'), { recursive: true });
  const inside = createUser(at, []);
  writeFileSync(join(at, '.gitignore'), 'node_modules\n');
  await inside.types('npm', 'install', '--no-package-lock', '--no-audit', '--no-fund', '--silent');
  for (const args of [
    ['init', '--quiet', '--initial-branch', 'main'],
    ['add', '--all'],
  ])
    await inside.types('git', ...args);
  await inside.types('git', 'commit', '--quiet', '--message', `${name} ${version}`);
  await inside.types('npm', 'test');
  return at;
}

/**
 * Enters into the manifest the model, and the files to include in its prompts, since a model without tools can't read
 * files.
 */
function nameModel(at: string, { files }: Project, baseUrl: string): void {
  const manifest = join(at, '.vision/workflows.json');
  const model = `"kind": "ai", "provider": "openai-compatible", "model": "mock", "base_url": "${baseUrl}"`;
  const shown = `"artifact": ${JSON.stringify(files)},`;
  const text = readFileSync(manifest, 'utf8')
    .replace(/^( +"Worker:Coder": )\{.*\}/m, `$1{ ${model}, "mode": "loom" }`)
    .replace(/^( +"Worker:Reviewer": )\{.*\}/m, `$1{ ${model} }`)
    .replaceAll(/"worker": "Worker:(?:Coder|Reviewer)",/g, `$& ${shown}`);
  writeFileSync(manifest, text);
}

/** Shows the change and then answers each gate, until the run has ended. */
async function throughGates(user: User, code: number): Promise<void> {
  let last = code;
  for (let gate = 0; last === 3 && gate < 4; gate += 1)
    last = (await user.types('robosmith', 'resume', '--proceed')).code;
  if (last !== 0) throw new Error(`the run ended with ${String(last)}`);
}

/** Checks that the change has been merged into the user's branch, and that the project's tests pass there. */
async function arrived(at: string, job: Project['jobs'][string], before: string): Promise<string> {
  const user = createUser(at, []);
  const names = (await user.types('git', 'diff', '--name-only', before, 'HEAD')).out.split('\n').filter(Boolean);
  const wanted = new Set(job.replies.flatMap(({ edits }) => edits.map(({ path }) => String(path))));
  const missing = [...wanted].filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`not merged: ${missing.join(', ')}`);
  await user.types('npm', 'test');
  return wanted.size === 0 ? 'a report, no change' : `merged: ${[...wanted].sort().join(', ')}`;
}

async function withTemplate(project: Project, template: string, at: string, user: User, bench: Bench): Promise<Row> {
  const job = project.jobs[template];
  if (job === undefined) throw new Error(`${project.name} has no job for ${template}`);
  const before = (await createUser(at, []).types('git', 'rev-parse', 'HEAD')).out.trim();
  bench.model.answerWith(mockAnswer(job.replies));
  await user.types('robosmith', 'init', '--template', template);
  nameModel(at, project, bench.model.baseUrl);
  const inputs = job.inputs.flatMap((input) => ['--input', input]);
  const { code } = await user.types('robosmith', 'run', '--session', template, '--trust', ...inputs);
  await throughGates(user, code);
  if (job.replies.length > 0) await user.types('robosmith', 'sessions', 'merge', template, '--yes');
  const { commands, seconds, stumbles } = user.took();
  const result = await arrived(at, job, before);
  const retries = retriesIn(bench.model.prompts);
  const { name } = project;
  return { project: name, template, commands, edits: 1, seconds, stumbles: [...stumbles, ...retries], result };
}

/** Runs all templates in one project, each in a fresh copy. The first one includes the installation. */
async function inProject(project: Project, bench: Bench): Promise<readonly Row[]> {
  const at = await downloaded(project, bench);
  const rows: Row[] = [];
  const prefix = join(bench.folder, `${project.name}-global`);
  const names = ['fix-bug', ...Object.keys(TEMPLATES).filter((name) => name !== 'fix-bug')];
  for (const template of names.filter((name) => bench.only === undefined || name === bench.only)) {
    const copy = join(bench.folder, `${project.name}-${template}`);
    cpSync(at, copy, { recursive: true, verbatimSymlinks: true });
    const user = createUser(copy, [join(prefix, 'bin')]);
    if (rows.length === 0)
      await user.types('npm', 'install', '--global', '--prefix', prefix, '--silent', bench.tarball);
    try {
      rows.push(await withTemplate(project, template, copy, user, bench));
    } finally {
      await createUser(copy, user.path).types('robosmith', 'host', 'stop');
    }
    console.log(lineOf(rows.at(-1)));
  }
  return rows;
}

const HEAD = '| project | template | commands | edits | seconds | stumbles | result |\n|---|---|---|---|---|---|---|';

const lineOf = (row: Row | undefined): string =>
  row === undefined
    ? ''
    : `| ${row.project} | ${row.template} | ${String(row.commands)} | ${String(row.edits)} | ${row.seconds.toFixed(1)} | ${row.stumbles.length === 0 ? 'none' : row.stumbles.join('; ')} | ${row.result} |`;

const isTooMuch = ({ commands, seconds }: Row): boolean => commands > MOST_COMMANDS || seconds > MOST_MINUTES * 60;

const { values } = parseArgs({ options: { tarball: { type: 'string' }, only: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'robosmith-adoption-'));
const model = await startMockModel();
try {
  const packed =
    values.tarball ?? (await createUser(process.cwd(), []).types('npm', 'run', '--silent', 'pack')).out.trim();
  const bench: Bench = { folder, tarball: join(process.cwd(), packed), model, only: values.only };
  console.log(HEAD);
  const firsts: Row[] = [];
  for (const project of PROJECTS) firsts.push(...(await inProject(project, bench)).slice(0, 1));
  for (const { project, commands, seconds } of firsts.filter(isTooMuch))
    throw new Error(
      `${project}: the first merged change took ${String(commands)} commands and ${seconds.toFixed(0)} s`,
    );
} finally {
  await model.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
