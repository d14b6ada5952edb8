import { access } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '../files/read-small-file.ts';

/** A program that finds type errors. */
export interface Checker {
  readonly name: 'tsc' | 'go vet' | 'cargo check' | 'pyright' | 'mypy' | 'javac';
  readonly argv: readonly [string, ...string[]];
  /** The folder in which it runs, relative to the top of the repository, with `/`; empty for the top. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ignored folders of the main checkout that it needs, relative to the top of the repository. */
  readonly needs: readonly string[];
  /** True if it prints the path of every file that it has checked. */
  readonly listsFiles: boolean;
  /** The ending of the source files whose list it gets as its last argument, `@<file>`; null if it finds its files. */
  readonly sources: string | null;
  /** True if it runs code of the project, such as the build scripts and macros of Rust. */
  readonly runsCode: boolean;
}

/** The maximum size of a configuration file that is read, in bytes. */
const LARGEST = 1024 * 1024;

const MOST_FOLDERS = 64;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Returns the folders that contain a file, from the nearest to the top of the repository. */
function foldersOf(file: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.posix.dirname(file); folders.length < MOST_FOLDERS; at = path.posix.dirname(at)) {
    folders.push(at === '.' ? '' : at);
    if (at === '.' || at === '/') break;
  }
  return folders;
}

const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Returns the nearest folder above a file that contains one of these names, or null. */
async function nearest(main: string, file: string, ...names: readonly string[]): Promise<string | null> {
  for (const folder of foldersOf(file))
    for (const name of names) if (await exists(path.join(main, folder, name))) return folder;
  return null;
}

/** Returns the nearest installed package file above a file, as an absolute path, or null. */
async function installed(main: string, file: string, inModules: string): Promise<string | null> {
  const name = `node_modules/${inModules}`;
  const folder = await nearest(main, file, name);
  return folder === null ? null : path.join(main, folder, name);
}

const modulesOf = (file: string): readonly string[] => foldersOf(file).map((one) => inFolder(one, 'node_modules'));

/**
 * The build information is written to the temporary worktree: with `incremental`, the branch's own settings could name
 * any file as its place.
 */
const TSC_OPTIONS = [
  ...['--project', 'tsconfig.json', '--noEmit', '--pretty', 'false', '--listFiles'],
  ...['--incremental', '--tsBuildInfoFile', 'robosmith.tsbuildinfo'],
];

/** Uses the compiler that the main checkout has installed: a branch could bring another program of the same name. */
async function tsc(main: string, file: string): Promise<Checker | null> {
  const folder = await nearest(main, file, 'tsconfig.json');
  const program = await installed(main, file, 'typescript/bin/tsc');
  if (folder === null || program === null) return null;
  return {
    name: 'tsc',
    argv: [process.execPath, program, ...TSC_OPTIONS],
    folder,
    env: { ELECTRON_RUN_AS_NODE: '1' },
    needs: modulesOf(file),
    listsFiles: true,
    sources: null,
    runsCode: false,
  };
}

const PLAIN = { needs: [], listsFiles: false, sources: null, runsCode: false } as const;

/** Matches names of Go files that are compiled on one platform only. */
const OF_ONE_PLATFORM =
  /_(?:aix|android|darwin|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm)(?:_test)?\.go$/;

async function goVet(main: string, file: string): Promise<Checker | null> {
  const folder = OF_ONE_PLATFORM.test(file) ? null : await nearest(main, file, 'go.mod');
  if (folder === null) return null;
  // A check in the background must not download modules or another version of Go, and must not start a C compiler.
  const env = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '', CGO_ENABLED: '0' };
  return { name: 'go vet', argv: ['go', 'vet', './...'], folder, env, ...PLAIN };
}

async function cargoCheck(main: string, file: string): Promise<Checker | null> {
  const folder = await nearest(main, file, 'Cargo.toml');
  const argv = ['cargo', 'check', '--offline', '--quiet', '--all-targets', '--message-format', 'short'] as const;
  return folder === null ? null : { name: 'cargo check', argv, folder, env: {}, ...PLAIN, runsCode: true };
}

/** Returns whether a folder has a configuration of a Python checker: a file of its own, or a section of a shared one. */
async function usesChecker(folder: string, files: readonly string[], section: RegExp): Promise<boolean> {
  for (const name of files) if (await exists(path.join(folder, name))) return true;
  for (const name of ['pyproject.toml', 'setup.cfg']) {
    const read = await readSmallFile(path.join(folder, name), LARGEST);
    if ('text' in read && section.test(read.text)) return true;
  }
  return false;
}

/** Returns a program of the project's virtual environment, else of its npm packages, else the one of that name. */
async function pythonProgram(main: string, folder: string, file: string, name: string): Promise<string> {
  const own = path.join(main, folder, '.venv', process.platform === 'win32' ? 'Scripts' : 'bin', name);
  return (await exists(own)) ? own : ((await installed(main, file, `.bin/${name}`)) ?? name);
}

async function python(main: string, file: string): Promise<Checker | null> {
  for (const folder of foldersOf(file)) {
    const place = path.join(main, folder);
    const needs = [...modulesOf(file), inFolder(folder, '.venv')];
    if (await usesChecker(place, ['pyrightconfig.json'], /\bpyright\b/))
      return {
        name: 'pyright',
        argv: [await pythonProgram(main, folder, file, 'pyright')],
        folder,
        env: {},
        ...PLAIN,
        needs,
      };
    if (!(await usesChecker(place, ['mypy.ini', '.mypy.ini'], /^\[(?:tool\.)?mypy\]/m))) continue;
    const argv = [
      await pythonProgram(main, folder, file, 'mypy'),
      '--no-error-summary',
      '--cache-dir',
      '.robosmith-mypy',
      '.',
    ];
    const [program = 'mypy', ...args] = argv;
    // The settings can name plugins, which are Python code.
    return { name: 'mypy', argv: [program, ...args], folder, env: {}, ...PLAIN, needs, runsCode: true };
  }
  return null;
}

async function javac(main: string, file: string): Promise<Checker> {
  const folder = (await nearest(main, file, 'pom.xml', 'build.gradle', 'build.gradle.kts', 'build.xml')) ?? '';
  const argv = ['javac', '-proc:none', '-nowarn', '-Xmaxerrs', '1000', '-d', '.robosmith-classes'] as const;
  return { name: 'javac', argv, folder, env: {}, ...PLAIN, sources: '.java' };
}

const BY_ENDING: readonly (readonly [RegExp, (main: string, file: string) => Promise<Checker | null>])[] = [
  [/\.[cm]?tsx?$/, tsc],
  [/\.go$/, goVet],
  [/\.rs$/, cargoCheck],
  [/\.pyi?$/, python],
  [/\.java$/, javac],
];

/**
 * Returns the checker that the project has for a file, based on the configuration and the programs in the main
 * checkout; null if there is none. Programs from PATH are not verified here: if one is missing, starting it fails.
 */
export async function findChecker(main: string, file: string): Promise<Checker | null> {
  const [, find] = BY_ENDING.find(([ending]) => ending.test(file)) ?? [];
  return find === undefined ? null : find(main, file);
}
