import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import { bashCompletion } from '../completion/bash.ts';
import { describeCommands, NAME_KINDS } from '../completion/described-command.ts';
import { fishCompletion } from '../completion/fish.ts';
import { powershellCompletion } from '../completion/powershell.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';

const SHELLS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

type Shell = keyof typeof SHELLS;

const isShell = (name: string): name is Shell => Object.hasOwn(SHELLS, name);

export async function completion(shell: string, program: Command, io: CliIo): Promise<number> {
  const kind = NAME_KINDS.find((one) => one === shell);
  if (kind !== undefined) return (await import('../completion/print-names.ts')).printNames(kind, io);
  if (!isShell(shell))
    throw usageError(
      `"${shell}" is not a supported shell. Use bash, zsh, fish or powershell.${didYouMean(shell, Object.keys(SHELLS))}`,
      ['robosmith completion bash'],
    );
  io.stdout.write(SHELLS[shell](describeCommands(program)));
  return 0;
}
