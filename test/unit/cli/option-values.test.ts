import { expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../support/fake-io.ts';

test.each([
  ['run --session --trust', '--session <title>', '--trust', '--session=--trust', 'run'],
  ['run --in --trust', '--in <directory>', '--trust', '--in=--trust', 'run'],
  ['run --input --json', '--input <text>', '--json', '--input=--json', 'run'],
  ['run --plan -x', '--plan <glob>', '-x', '--plan=-x', 'run'],
  ['resume r1 --reject --trust', '--reject <reason>', '--trust', '--reject=--trust', 'resume'],
  ['init --template --json', '--template <name>', '--json', '--template=--json', 'init'],
  ['sessions new A --node --json', '--node <node>', '--json', '--node=--json', 'sessions new'],
  ['tasks add --node --strict x', '--node <node>', '--strict', '--node=--strict', 'tasks add'],
  ['calls --limit --json', '--limit <number>', '--json', '--limit=--json', 'calls'],
])('robosmith %s: an option is not the value of another option', async (typed, option, next, written, command) => {
  const io = fakeIo();
  expect(await main(typed.split(' '), io)).toBe(2);
  expect(io.err()).toContain(
    `✗ usage  The option ${option} needs a value, but ${next} follows. If "${next}" is the value, write ${written}.\n`,
  );
  expect(io.err()).toContain(`Next:\n  robosmith ${command} --help\n`);
});

test('an option without its value at the end says which', async () => {
  const io = fakeIo();
  expect(await main(['graph', '--format'], io)).toBe(2);
  expect(io.err()).toContain('✗ usage  The option --format <format> needs a value.\n');
});

test('the folder of -C is not another option', async () => {
  const io = fakeIo();
  expect(await main(['-C', '--debug', 'doctor'], io)).toBe(2);
  expect(io.err()).toContain('✗ usage  The option -C <directory> needs a value, but --debug follows.\n');
});

test('an option without a value takes none', async () => {
  const io = fakeIo();
  expect(await main(['run', '--detach=yes'], io)).toBe(2);
  expect(io.err()).toContain('✗ usage  The option --detach takes no value.\n');
});

test.each([
  [['--message', '- a point of a list'], 'with blanks'],
  [['--message=--trust'], 'after an equals sign'],
  [['--message', '-'], 'that is a dash alone'],
  [['--temperature', '-1'], 'that is a negative number'],
])('a value is accepted %2$s: %1$j', async (words) => {
  const io = fakeIo();
  await main(['-C', '/', 'calls', 'rerun', '4f21ab', ...words], io);
  expect(io.err()).not.toContain('needs a value');
  expect(io.err()).toContain('✗ ');
});
