import { expect, test } from 'vitest';
import { reporterFor } from '#cli/print/reporter.ts';
import { refusalResponse } from '#engine/authoring.ts';
import type { CliIo } from '#cli/terminal/cli-io.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const RESPONSE = refusalResponse('unknown_node', { message: 'There is no node "Fix".' }, null);

/** Creates a command line whose progress output goes to a terminal. */
function atTerminal(isPiped: boolean) {
  const io = fakeIo();
  const piped: CliIo = {
    ...io,
    env: { NO_COLOR: '1' },
    stderr: { ...io.stderr, isTerminal: true },
    stdout: { ...io.stdout, isTerminal: !isPiped },
  };
  return { io, piped };
}

test('a person who pipes a command gets its result in the pipe', () => {
  const { io, piped } = atTerminal(true);
  reporterFor({}, undefined, piped).ended(RESPONSE);
  expect([io.out(), io.err()]).toEqual([expect.stringContaining('There is no node "Fix".'), '']);
});

test('without a pipe, in a program and with --json, the text goes to stderr', () => {
  const { io, piped } = atTerminal(false);
  reporterFor({}, undefined, piped).ended(RESPONSE);
  expect([io.out(), io.err()]).toEqual(['', expect.stringContaining('There is no node "Fix".')]);
  const program = fakeIo();
  reporterFor({}, undefined, program).ended(RESPONSE);
  expect(program.out()).toBe('');
  const json = atTerminal(true);
  reporterFor({ json: true }, undefined, json.piped).ended(RESPONSE);
  expect(() => JSON.parse(json.io.out()) as unknown).not.toThrow();
});
