import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type DurableProject, durableProject } from './durable.ts';

let at: DurableProject;
afterEach(() => at.remove());

interface Waits {
  readonly details: { readonly halts: readonly { readonly answers: readonly string[] }[] };
}

interface Waiting {
  readonly waiting: Waits['details']['halts'];
}

test('with -C the commands of a JSON document are to be typed where it was typed', async () => {
  verifies('cli.error.next-command-works');
  at = await durableProject({ 'fail-B': '' });
  const there = (...args: readonly string[]) => at.robosmith('-C', '../project', ...args);
  const { code, out } = await there('run', 'Main', '--in', '.', '--trust', '--json');
  const { run } = await at.newest();
  const answers = ['retry', 'next', 'abort'].map((verb) => `robosmith -C ../project resume ${run} --halt h1 --${verb}`);
  expect(code).toBe(3);
  expect((JSON.parse(out) as Waits).details.halts[0]?.answers).toEqual(expect.arrayContaining(answers));
  const inbox = JSON.parse((await there('inbox', '--json')).out) as Waiting;
  expect(inbox.waiting[0]?.answers).toEqual(expect.arrayContaining(answers));
});
