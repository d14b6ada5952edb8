import type { PrivatePlaces } from '#protocol/sandbox.ts';

/**
 * Returns the flag with the settings of claude's own sandbox. Its commands write only to the worktree and temporary
 * folders, read nothing private, and reach only the named hosts. claude's tools for files follow its permissions instead:
 * outside of the worktree they would have to ask.
 */
export function claudeSandbox({ hidden, readable }: PrivatePlaces, hosts: readonly string[]): readonly string[] {
  const sandbox = {
    enabled: true,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    excludedCommands: [],
    filesystem: { denyRead: hidden, allowRead: readable },
    network: { allowedDomains: hosts },
  };
  return ['--settings', JSON.stringify({ sandbox })];
}
