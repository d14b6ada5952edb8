import { appendFileSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type Project, project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const hostPid = async (): Promise<number | undefined> => {
  const { out } = await at.robosmith('host', 'status', '--json');
  return (JSON.parse(out) as { readonly host: { readonly pid: number } | null }).host?.pid;
};

const names = async (): Promise<readonly string[]> => {
  const { out } = await at.robosmith('tasks', '--json');
  const { tasks } = JSON.parse(out) as { readonly tasks: readonly { readonly id: string; readonly name: string }[] };
  return tasks.map(({ id, name }) => `${id} ${name}`);
};

test('an idle host edits the plan for the command line, and goes on', async () => {
  at = await project({ '.flow/flow.registry.json': {} });
  expect((await at.robosmith('host', 'start')).code).toBe(0);
  const host = await hostPid();
  expect(host).toBeGreaterThan(0);
  for (const args of [
    ['add', 'Write'],
    ['add', 'Test'],
    ['add', 'Draw', '--under', '1'],
    ['move', '2', '--before', '1'],
    ['set', '1', 'skipped'],
    ['add', 'Ship', '--strict'],
    ['remove', '3'],
  ])
    expect(await at.robosmith('tasks', ...args, '--json'), args.join(' ')).toMatchObject({ code: 0 });
  expect(await names()).toEqual(['1 Test', '2 Write', '2.1 Draw']);

  const plan = at.file('.flow/status.md');
  const own = readFileSync(plan, 'utf8');
  appendFileSync(plan, '- [ ] Foreign\n');
  expect((await at.robosmith('tasks', 'add', 'Last', '--strict', '--json')).out).toContain('tasks_changed');
  expect(JSON.parse((await at.robosmith('tasks', 'restore', '--json')).out)).toEqual({
    ok: true,
    restored: ['status.md'],
  });
  expect(readFileSync(plan, 'utf8')).toBe(own);
  expect(JSON.parse((await at.robosmith('tasks', 'accept', '--json')).out)).toEqual({ ok: true, accepted: [] });
  expect(await hostPid()).toBe(host);
});
