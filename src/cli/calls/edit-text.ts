import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ioError, usageError } from '../terminal/usage-error.ts';

/** Returns the user's editor, found in the same way as git does. */
function editorOf({ env, interactive, platform }: CliIo): string {
  const named = [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one.trim() !== '');
  if (named !== undefined) return named;
  if (interactive) return platform === 'win32' ? 'notepad' : 'vi';
  throw usageError('No editor can be opened here. Set EDITOR, or pass the edited request with --request <file>.', [
    'robosmith calls rerun --help',
  ]);
}

/**
 * Opens the user's editor. The environment variable contains a command line with arguments, so the shell parses it. On
 * Windows the shell would first search the project's folder.
 */
function open(editor: string, file: string, { env, platform }: CliIo) {
  const options = { stdio: 'inherit', env: childEnvironment({ env, platform }) } as const;
  return platform === 'win32'
    ? spawn(`${editor} "${file}"`, { shell: true, ...options })
    : spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, file], options);
}

/**
 * Lets the user edit a text and returns the result. The file is in a folder that only the user can read, and is removed
 * afterwards.
 */
export async function editText(text: string, name: string, io: CliIo): Promise<string> {
  const editor = editorOf(io);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-'));
  const file = path.join(folder, name);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await new Promise<number | null>((resolve, reject) =>
      open(editor, file, io).on('error', reject).on('close', resolve),
    );
    if (code !== 0) throw ioError(`The editor "${editor}" ended with ${code ?? 'a signal'}; nothing was sent.`, []);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
