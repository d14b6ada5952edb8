import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { buildProgram } from '#cli/program.ts';
import { verifies } from '../e2e/verifies.ts';
import { fakeIo } from '../support/fake-io.ts';

/** A command of the program, with its path below `robosmith`. */
interface Listed {
  readonly path: readonly string[];
  readonly command: Command;
}

function listCommands(command: Command, path: readonly string[] = []): readonly Listed[] {
  const below = command.createHelp().visibleCommands(command);
  const named = below.filter((one) => one.name() !== 'help');
  return [{ path, command }, ...named.flatMap((one) => listCommands(one, [...path, one.name()]))];
}

const COMMANDS = listCommands(buildProgram(fakeIo(), () => undefined));

/*
 * The texts themselves are those of docs/reference/command-line.md, which `npm run generate:check` compares with the
 * declarations.
 */
describe('help of every command', () => {
  // The short help of the program itself is tested in help-words.test.ts.
  test.each(
    COMMANDS.filter(({ path }) => path.length > 0).map(
      ({ path, command }) => [['robosmith', ...path].join(' '), path, command] as const,
    ),
  )('%s --help', async (title, path, command) => {
    verifies('cli.help.every-command');
    const io = fakeIo();
    expect(await main([...path, '--help'], io)).toBe(0);
    expect(io.err()).toBe('');
    const text = io.out();
    expect(text).toContain(`Usage: ${title}`);
    expect(text).toMatch(/\n {2}robosmith /);
    for (const { flags } of command.createHelp().visibleOptions(command)) expect(text).toContain(`  ${flags}`);
  });

  test('commands are listed', () => {
    expect(COMMANDS.length).toBeGreaterThan(60);
  });
});
