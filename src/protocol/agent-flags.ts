import { type AgentName, type Approvals, APPROVALS } from './approvals.ts';

/** Returns the most restrictive of several settings, or `all` for an empty list. */
export const leastApprovals = (said: readonly Approvals[]): Approvals =>
  APPROVALS.find((one) => said.includes(one)) ?? 'all';

/** Flags that decide what an agent may do, how it communicates and with whom. A manifest's `args` can't set them. */
const OURS: Readonly<Record<AgentName, readonly string[]>> = {
  claude: [
    ...['-p', '--print', '--output-format', '--input-format', '-r', '--resume', '-c', '--continue', '--session-id'],
    ...['--permission-mode', '--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'],
    ...['--allowedTools', '--allowed-tools', '--disallowedTools', '--disallowed-tools', '--permission-prompt-tool'],
    ...['--settings', '--add-dir', '--fork-session', '--no-session-persistence'],
  ],
  codex: [
    ...['--json', '--experimental-json', '-s', '--sandbox', '-a', '--ask-for-approval', '--full-auto', '--yolo'],
    ...['--dangerously-bypass-approvals-and-sandbox', '--not-so-yolo', '--add-dir', '-C', '--cd', '--ephemeral'],
    ...['-p', '--profile', 'resume', 'review', '-'],
  ],
  gemini: [
    ...['-o', '--output-format', '--approval-mode', '-y', '--yolo', '-r', '--resume', '-p', '--prompt', '-i'],
    ...['--prompt-interactive', '--allowed-tools', '--include-directories', '--acp', '--experimental-acp'],
  ],
};

/**
 * codex's `-c` sets any configuration key: these keys affect its sandbox and approvals, so a manifest can't set them.
 */
const OURS_IN_CONFIG = /^(?:--config=|-c)?\s*(?:sandbox|approval|profile|projects|features)/;

/** Returns the first of the manifest's `args` that a manifest can't set, or null. */
export function flagOfOurs(agent: AgentName, args: readonly string[]): string | null {
  const isOurs = (arg: string): boolean =>
    OURS[agent].some((flag) => arg === flag || arg.startsWith(`${flag}=`)) ||
    (agent === 'codex' && OURS_IN_CONFIG.test(arg)) ||
    // Short flags take their value without a space.
    (agent === 'codex' && /^-[saC](?!-)./.test(arg));
  return args.find(isOurs) ?? null;
}
