import { expect, test } from 'vitest';
import { reportFailure } from '#cli/report-failure.ts';
import { buildProgram } from '#cli/program.ts';
import { fakeIo } from '../../support/fake-io.ts';

function reported(error: unknown, argv: readonly string[], place?: string) {
  const io = fakeIo();
  const program = buildProgram(io, () => undefined);
  return { code: reportFailure(error, { argv, program, place }, io), err: io.err() };
}

test('a file that the system refuses is no bug: the message names file and cause', () => {
  const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES', path: '/p/.flow/a' });
  expect(reported(denied, ['runs'])).toEqual({
    code: 2,
    err: "✗ io  /p/.flow/a can't be used: you have no permission (EACCES).\n\nNext:\n  robosmith runs --help\n",
  });
});

test('a bug suggests the same command with --debug, with the folder once', () => {
  const { code, err } = reported(new TypeError('x is not a function'), ['-C', 'h 1', 'status', '-Ch2'], 'h 1');
  expect(code).toBe(1);
  expect(err).toContain('Next:\n  robosmith -C "h 1" status --debug\n');
});
