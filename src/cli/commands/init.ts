import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  checkMayInit,
  dependencyNeeds,
  detectCommands,
  manifestPath,
  readSmallFile,
  TEMPLATES,
  reasonsFor,
  worktreeSection,
  worktreeTop,
} from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { StarterFile } from '../print/json-documents.ts';
import { fitLines, roomOn } from '../print/fit-lines.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import {
  missingIgnoreRules,
  STARTER_ANSWERS,
  STARTER_OUTBOUND_RULES,
  starterRegistry,
} from '../starter/starter-files.ts';
import { starterManifest } from '../starter/manifest.ts';
import { exampleInputs, TEMPLATE_ANSWERS, templateManifest } from '../starter/template-manifest.ts';
import { firstInstalled } from '../doctor/installed-agents.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

export interface InitOptions {
  readonly template?: string;
  readonly json?: true;
}

/** The size limit of an existing .gitignore, in bytes. */
const LARGEST = 1_048_576;

const NO_COMMANDS = 'No test, lint or build command was found. Add them under "commands" in .vision/workflows.json.';

const COMMIT_THESE = 'Commit these files; the ignore rules keep the state of runs out of git.';

const NO_GIT =
  'This folder is in no git repository: `robosmith run --in .` works here, sessions do not. Create one with `git init`, and commit these files.';

/** Creates the files that a project needs in the current folder; existing files are kept. */
export async function init(options: InitOptions, io: CliIo): Promise<number> {
  const { template } = options;
  checkTemplate(template);
  const found = await findSettings(io.cwd);
  const { commands, reasons } = found;
  const starter =
    template === undefined ? starterOf(found, await schemaOf(io.cwd)) : await templateOf(template, found, io);
  const made = await makeAll(starter, io.cwd);
  const next = nextSteps(made, starter);
  if (options.json === true) printJson({ ok: true, root: io.cwd, made, commands, next }, io.stdout);
  else report(made, commands, { template, next, isInGit: await findsGit(io.cwd), reasons }, io);
  return 0;
}

/** Creates the same files as `init`, without output. */
export async function makeStarter(root: string): Promise<void> {
  await makeAll(starterOf(await findSettings(root), await schemaOf(root)), root);
}

/** The files that `init` may create or extend. */
const TARGETS = [
  '.flow/flow.registry.json',
  '.vision/workflows.json',
  '.vision/answers.json',
  '.vision/ignore',
  '.gitignore',
] as const;

type Commands = Readonly<Record<string, readonly string[]>>;

/** The settings that a project's files suggest. */
interface FoundSettings {
  readonly commands: Commands;
  readonly worktree: ReturnType<typeof worktreeSection>;
  /** Why worktrees install dependencies where a link would be faster. */
  readonly reasons: readonly string[];
}

async function findSettings(root: string): Promise<FoundSettings> {
  const needs = await dependencyNeeds(root);
  return { commands: await detectCommands(root), worktree: worktreeSection(needs), reasons: reasonsFor(needs) };
}

/** The manifest that `init` writes, and the scripted answers for it. */
interface Starter {
  readonly what: string;
  readonly manifest: string;
  readonly answers: string;
  /** The command that simulates the manifest. */
  readonly simulation: string;
}

const starterOf = ({ commands, worktree }: FoundSettings, schema: string | null): Starter => ({
  what: 'starter manifest',
  manifest: starterManifest(commands, schema, worktree),
  answers: STARTER_ANSWERS,
  simulation: 'robosmith simulate Feature_Implement --script .vision/answers.json',
});

function checkTemplate(name: string | undefined): void {
  if (name === undefined || Object.hasOwn(TEMPLATES, name)) return;
  const names = Object.keys(TEMPLATES);
  throw usageError(`There is no template "${name}".${didYouMean(name, names)} The templates are ${names.join(', ')}.`, [
    'robosmith init --help',
  ]);
}

async function templateOf(name: string, { commands, worktree }: FoundSettings, io: CliIo): Promise<Starter> {
  const agent = await firstInstalled(io);
  return {
    what: `template ${name}, with ${agent ?? 'scripted answers in place of an agent'}`,
    manifest: templateManifest(name, commands, agent, worktree),
    answers: TEMPLATE_ANSWERS,
    simulation: `robosmith simulate --script .vision/answers.json${exampleInputs(name)}`,
  };
}

async function makeAll(starter: Starter, root: string): Promise<readonly StarterFile[]> {
  for (const target of TARGETS) await checkMayInit(root, target);
  const manifest = await create(await manifestPath(root), starter.what, starter.manifest, root);
  return [
    await create('.flow/flow.registry.json', 'which workers may be used', starterRegistry(), root),
    manifest,
    // The scripted answers fit only the starter manifest.
    ...(manifest.outcome === 'created'
      ? [await create('.vision/answers.json', 'scripted answers to try it with', starter.answers, root)]
      : []),
    await create('.vision/ignore', 'files that are kept out of prompts', STARTER_OUTBOUND_RULES, root),
    await extendIgnore(root),
  ];
}

/** The path of the schema if the package is installed in the project. Editors then need no extension. */
const SCHEMA = 'node_modules/robo-smith/schemas/workflow.schema.json';

const schemaOf = (root: string): Promise<string | null> =>
  stat(path.join(root, SCHEMA)).then(
    () => `../${SCHEMA}`,
    () => null,
  );

async function create(name: string, what: string, text: string, root: string): Promise<StarterFile> {
  const file = path.join(root, name);
  return guarded(name, async () => {
    await mkdir(path.dirname(file), { recursive: true });
    try {
      await writeFile(file, text, { flag: 'wx' });
      return { path: name, what, outcome: 'created' };
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return { path: name, what, outcome: 'kept' };
      throw error;
    }
  });
}

async function textOf(file: string): Promise<string> {
  const read = await readSmallFile(file, LARGEST);
  if ('text' in read) return read.text;
  throw ioError(`.gitignore cannot be read${'why' in read ? `: ${read.why}` : ''}.`, ['robosmith doctor']);
}

async function extendIgnore(root: string): Promise<StarterFile> {
  const name = '.gitignore';
  const file = path.join(root, name);
  const what = 'ignore rules';
  return guarded(name, async () => {
    const exists = await stat(file).then(
      () => true,
      () => false,
    );
    const rules = missingIgnoreRules(exists ? await textOf(file) : '');
    if (rules === '') return { path: name, what, outcome: 'kept' };
    await appendFile(file, rules);
    return { path: name, what, outcome: exists ? 'extended' : 'created' };
  });
}

async function guarded(name: string, work: () => Promise<StarterFile>): Promise<StarterFile> {
  try {
    return await work();
  } catch (error) {
    if (RoboSmithError.is(error)) throw error;
    throw ioError(`${name} cannot be written (${systemCode(error)}).`, ['robosmith doctor'], error);
  }
}

/** Suggests a simulation only for the starter manifest, which has scripted answers. */
const nextSteps = (made: readonly StarterFile[], { simulation }: Starter): readonly string[] =>
  made.some(({ path: name, outcome }) => name === '.vision/answers.json' && outcome === 'created')
    ? [simulation, 'robosmith validate', 'robosmith graph --format html --out workflow.html']
    : ['robosmith validate', 'robosmith doctor'];

function write(text: string, { stderr }: CliIo): void {
  for (const line of fitLines(text, roomOn(stderr), '  ')) stderr.write(`${line}\n`);
}

const findsGit = (folder: string): Promise<boolean> =>
  worktreeTop(folder).then(
    (top) => top !== null,
    () => true,
  );

/** What `init` says after the list of files. */
interface Afterwards {
  readonly template: string | undefined;
  readonly next: readonly string[];
  /** False if sessions are impossible here. */
  readonly isInGit: boolean;
  readonly reasons: readonly string[];
}

const notUsed = (template: string, manifest: string): string =>
  `The template ${template} was not used, because ${manifest} exists. Rename that file to begin with the template.`;

function report(made: readonly StarterFile[], commands: Commands, after: Afterwards, io: CliIo): void {
  const { template, next, isInGit, reasons } = after;
  const { paint, symbols } = styleFor(io.stderr, io);
  const width = Math.max(...made.map(({ path: name }) => name.length));
  for (const { path: name, what, outcome } of made) {
    const mark = outcome === 'kept' ? paint.dim(symbols.skipped) : paint.green(symbols.ok);
    const how = outcome === 'kept' ? paint.dim('kept as it is') : `${outcome}${paint.dim(`  ${what}`)}`;
    write(`${mark} ${name.padEnd(width)}  ${how}`, io);
  }
  const found = Object.entries(commands).map(([name, argv]) => `${name}: \`${argv.join(' ')}\``);
  // An existing manifest may define its own commands.
  const own = made.find(({ path: name, outcome }) => name.startsWith('.vision/workflows.json') && outcome === 'kept');
  const isOwn = own !== undefined;
  if (isOwn && template !== undefined) write(`\n${paint.yellow(notUsed(template, own.path))}`, io);
  if (found.length > 0) write(`\nCommands found: ${harmless(found.join(', '))}.`, io);
  else if (!isOwn) write(`\n${NO_COMMANDS}`, io);
  if (!isOwn) for (const reason of reasons) write(`\n${harmless(reason)}.`, io);
  if (made.some(({ outcome }) => outcome !== 'kept')) write(`\n${isInGit ? COMMIT_THESE : NO_GIT}`, io);
  printNext(next, io);
}
