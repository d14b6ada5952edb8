import { type AgentName, type Approvals, APPROVALS } from './approvals.ts';

/** The least of several; all of it when nothing is said. */
export const leastApprovals = (said: readonly Approvals[]): Approvals =>
  APPROVALS.find((one) => said.includes(one)) ?? 'all';

/** Flags that say what an agent may do, how it talks and with whom: these are ours, whatever the manifest's `args` say. */
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

/** `-c` of codex sets anything: what bears on its sandbox and its approvals is ours. */
const OURS_IN_CONFIG = /^(?:--config=|-c)?\s*(?:sandbox|approval|profile|projects|features)/;

/** The first of the manifest's `args` that is not the manifest's to say; null: there is none. */
export function flagOfOurs(agent: AgentName, args: readonly string[]): string | null {
  const isOurs = (arg: string): boolean =>
    OURS[agent].some((flag) => arg === flag || arg.startsWith(`${flag}=`)) ||
    (agent === 'codex' && OURS_IN_CONFIG.test(arg)) ||
    // Short flags take their value without a gap.
    (agent === 'codex' && /^-[saC](?!-)./.test(arg));
  return args.find(isOurs) ?? null;
}
