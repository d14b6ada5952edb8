import { describe, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { verifies } from '../e2e/verifies.ts';
import { fakeIo } from '../support/fake-io.ts';
import { HELP } from './cli-help-texts.ts';

describe('help of every command', () => {
  test.each(Object.entries(HELP))('robosmith %s --help', async (command, text) => {
    verifies('cli.help.every-command');
    const io = fakeIo();
    expect(await main([...command.split(' ').filter((word) => word !== ''), '--help'], io)).toBe(0);
    expect(io.out()).toBe(text);
    expect(io.err()).toBe('');
  });

  test('every command is pinned, and every help text has an example', async () => {
    const io = fakeIo();
    await main(['completion', 'fish'], io);
    const commands = [...io.out().matchAll(/__fish_use_subcommand' -a (\w+)/g)].map(([, name]) => name);
    expect(commands.filter((name) => name !== undefined && !(name in HELP))).toEqual([]);
    for (const text of Object.values(HELP)) expect(text).toMatch(/\n {2}robosmith /);
  });
});
