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
