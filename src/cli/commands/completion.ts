import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import { bashCompletion } from '../completion/bash.ts';
import { describeCommands } from '../completion/described-command.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { didYouMean } from '../names/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

type Shell = keyof typeof SHELLS;

const isShell = (name: string): name is Shell => Object.hasOwn(SHELLS, name);

export function completion(shell: string, program: Command, io: CliIo): Promise<number> {
  if (!isShell(shell))
    throw usageError(
      `"${shell}" is not a supported shell. Use bash, zsh or fish.${didYouMean(shell, Object.keys(SHELLS))}`,
      ['robosmith completion bash'],
    );
  io.stdout.write(SHELLS[shell](describeCommands(program)));
  return Promise.resolve(0);
}
