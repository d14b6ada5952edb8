import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createProcesses } from '#io/process/process.ts';

const MANY = 100;

test('of many that begin at once, the first have ended and are heard of before the last begin', async () => {
  const happened: ('begins' | 'ended')[] = [];
  const { run } = createProcesses({
    begin: () => {
      happened.push('begins');
      return { started: () => undefined, ended: () => void happened.push('ended') };
    },
  });
  const request = { argv: [process.execPath, '--version'], cwd: tmpdir() } as const;
  const results = await Promise.all(Array.from({ length: MANY }, () => run(request, new AbortController().signal)));
  expect(results.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: MANY }, () => 0));
  expect(happened.indexOf('ended')).toBeLessThan(happened.lastIndexOf('begins'));
});
