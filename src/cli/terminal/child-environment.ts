import { noCurrentFolder, withoutRelative } from '#engine/authoring.ts';
import { withoutKeys } from '#protocol/key-variables.ts';
import type { CliIo } from './cli-io.ts';

/**
 * Returns the environment for a program of the system that this process starts in a folder that may be hostile: without
 * API keys, and without the relative folders of `PATH`, where a project could place a program of the same name.
 */
export function childEnvironment({ env, platform }: Pick<CliIo, 'env' | 'platform'>): NodeJS.ProcessEnv {
  const isPath = (name: string): boolean => (platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
  const kept = Object.entries(withoutKeys(env)).filter(([name]) => !isPath(name));
  const searched = Object.entries(env).find(([name]) => isPath(name))?.[1] ?? '';
  return { ...Object.fromEntries(kept), PATH: withoutRelative(searched, platform), ...noCurrentFolder(platform) };
}

const shellOf = ({ env, platform }: CliIo): string =>
  platform === 'win32'
    ? (env['ComSpec'] ?? `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\cmd.exe`)
    : (env['SHELL'] ?? '/bin/sh');

/** Runs the user's shell in a directory, on this terminal. Returns its exit code. */
export async function openShell(directory: string, io: CliIo): Promise<number> {
  const { execa } = await import('execa');
  const { exitCode = 1 } = await execa(shellOf(io), [], { cwd: directory, stdio: 'inherit', reject: false });
  return exitCode;
}
