import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Fence, fencesOf } from './read-page.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const TUTORIAL = 'docs/tutorial.md';
const MANIFEST = '.vision/workflows.json';

/**
 * Returns whether a block of the tutorial is executed. The installation is skipped, because the built program is used
 * instead of the package.
 */
const isPlayed = ({ language, text }: Fence): boolean => language !== 'sh' || !text.startsWith('npm install');

/** A command of the tutorial that was executed. */
interface Played {
  readonly command: string;
  readonly exitCode: number;
  /** What was written to stdout and stderr, in order. */
  readonly output: string;
  /** The picture that follows the block with this command, or null. */
  readonly picture: string | null;
}

export interface PlayedTutorial {
  readonly played: readonly Played[];
  /** Returns the text of a project file after the last command. */
  read(name: string): string;
  remove(): void;
}

/**
 * Creates a folder with a shell for the tutorial's commands. The shell has its own home directory, git user and
 * `robosmith` program.
 */
function setStage(environment: Readonly<Record<string, string>>) {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'robosmith-tutorial-')));
  const programs = path.join(folder, 'bin');
  mkdirSync(programs);
  const shim = path.join(programs, 'robosmith');
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'bin/robosmith.js')}" "$@"\n`);
  chmodSync(shim, 0o755);
  const env = {
    PATH: [programs, path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter),
    HOME: folder,
    ROBOSMITH_CONFIG_DIR: path.join(folder, 'config'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Ann'],
        [`GIT_${who}_EMAIL`, 'ann@example.org'],
      ]),
    ),
    ...environment,
  };
  const project = path.join(folder, 'split-bill');
  const shell = (command: string): Pick<Played, 'exitCode' | 'output'> => {
    const cwd = command.startsWith('mkdir split-bill') ? folder : project;
    const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], { cwd, env, encoding: 'utf8' });
    return { exitCode: status ?? 1, output: stdout };
  };
  const remove = (): void => {
    shell('robosmith host stop --force || true');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { project, shell, remove };
}

/** Replaces a section of the manifest: the one whose name is the first key in `section`. */
function replaceSection(manifest: string, section: string): string {
  const name = /^"(\w+)"/.exec(section)?.[1] ?? '';
  const begin = manifest.indexOf(`  "${name}": {`);
  const end = manifest.indexOf('\n  },', begin) + '\n  },'.length;
  const indented = section.trimEnd().replaceAll(/^/gm, '  ');
  return `${manifest.slice(0, begin)}${indented}${manifest.slice(end)}`;
}

/** Executes the steps of the tutorial, up to its last command, in a temporary folder. */
export function playTutorial(environment: Readonly<Record<string, string>>): PlayedTutorial {
  const { project, shell, remove } = setStage(environment);
  const fences = fencesOf(readFileSync(path.join(ROOT, TUTORIAL), 'utf8')).filter(isPlayed);
  const last = fences.findLastIndex(({ language }) => language === 'sh');
  const manifest = path.join(project, MANIFEST);
  const played: Played[] = [];
  for (const { language, text, file, picture } of fences.slice(0, last + 1)) {
    if (language === 'sh')
      for (const command of text.trimEnd().split('\n')) played.push({ command, picture, ...shell(command) });
    else if (text.startsWith('"')) writeFileSync(manifest, replaceSection(readFileSync(manifest, 'utf8'), text));
    else if (file !== null) writeFileSync(path.join(project, file), text);
  }
  return { played, read: (name) => readFileSync(path.join(project, name), 'utf8'), remove };
}
