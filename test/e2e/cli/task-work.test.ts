import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type DurableProject } from './durable.ts';
import { nextCommands } from './robosmith.ts';
import { FLOW, STATUS, taskProject } from './task-project.ts';

let at: DurableProject;
afterEach(() => at.remove());

interface Worked {
  readonly ended: string;
  readonly worked: readonly {
    readonly name: string;
    readonly run: string | null;
    readonly status: string;
    readonly failures: number;
  }[];
}

const workedOf = (out: string): Worked => JSON.parse(out) as Worked;
const runsOf = async (): Promise<readonly string[]> => (await at.runs()).map(({ run }) => run);

describe('work', () => {
  test('takes tasks until none is left: flows, workers, sub-files', async () => {
    verifies('tasks.work', 'tasks.dispatch.flow', 'tasks.dispatch.registry', 'tasks.tree.working-activates');
    at = await taskProject(
      `- [ ] Build\n    - [ ] first ${FLOW('A')}\n    - [ ] sub @ sub_flows/s.md\n- [ ] [git] commit it\n`,
      {
        '.flow/sub_flows/s.md': `- [ ] B <!-- type: flow -->\r\n`,
      },
    );
    const { code, out, err } = await at.robosmith('work', '--trust', '--json');
    expect([code, workedOf(out).ended]).toEqual([0, 'none_left']);
    expect(workedOf(out).worked.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'first done',
      'B done',
      '[git] commit it done',
    ]);
    expect(await at.ran()).toEqual(['A', 'B', 'git:[git] commit it']);
    expect(await at.read(STATUS)).toBe(
      `- [x] Build\n    - [x] first ${FLOW('A')}\n    - [x] sub @ sub_flows/s.md\n- [x] [git] commit it\n`,
    );
    expect(await at.read('.flow/sub_flows/s.md')).toBe('- [x] B <!-- type: flow -->\r\n');
    expect(err).toContain('✓ No task is left to work on; 3 done now.\n');
    expect((await at.robosmith('work', '--json')).code).toBe(0);
    expect(await runsOf()).toHaveLength(3);
  });

  test('next takes one', async () => {
    verifies('tasks.next');
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`);
    const { code, err } = await at.robosmith('next', '--trust');
    expect([code, await at.ran()]).toEqual([0, ['A']]);
    expect(err).toContain('1 a  → A\n');
    expect(err).toContain('[x] 1 a\n');
    expect(nextCommands(err)).toContainEqual(['next']);
    expect(await at.read(STATUS)).toBe(`- [x] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`);
  });

  test('stops where a person is needed, and goes on with that run, not with a new one', async () => {
    verifies('tasks.work', 'tasks.dispatch.person');
    at = await taskProject(`- [ ] look at it\n- [ ] b ${FLOW('B')}\n`);
    const halted = await at.robosmith('work', '--trust', '--json');
    expect([halted.code, workedOf(halted.out).ended]).toEqual([3, 'waits']);
    expect(await at.read(STATUS)).toBe(`- [/] look at it\n- [ ] b ${FLOW('B')}\n`);
    expect((await at.robosmith('next', '--trust')).code).toBe(3);
    const [run = '', ...others] = await runsOf();
    expect(others).toEqual([]);
    expect((await at.robosmith('resume', run, '--proceed')).code).toBe(0);
    const { code, err } = await at.robosmith('work', '--trust');
    expect(code).toBe(0);
    expect(err).toContain(`  ${run} had ended already; its result is used\n`);
    expect(await at.read(STATUS)).toBe(`- [x] look at it\n- [x] b ${FLOW('B')}\n`);
    expect(await at.ran()).toEqual(['B']);
  });

  test('does not obey a plan that a run changed after it was continued by resume', async () => {
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] review\n`, { 'fail-A': '' });
    const halted = await at.robosmith('work', '--trust', '--json');
    expect([halted.code, workedOf(halted.out).ended]).toEqual([3, 'waits']);
    const [run = ''] = await runsOf();
    await at.unlink('fail-A');
    expect((await at.robosmith('resume', run, '--retry')).code).toBe(0);
    await at.write(STATUS, `- [/] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`);
    const { code, err } = await at.robosmith('work', '--trust');
    expect([code, err.includes('The plan was edited while a task was running')]).toEqual([2, true]);
    expect(await at.ran()).toEqual(['A', 'A']);
  });

  test('goes on with an interrupted run; also when what was remembered of it is lost', async () => {
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`, { 'hold-B': '' });
    const working = await at.until('▶ B', 'work', '--trust');
    working.signal('SIGINT');
    expect((await working.ended).code).toBe(0);
    expect(await at.read(STATUS)).toBe(`- [x] a ${FLOW('A')}\n- [/] b ${FLOW('B')}\n`);
    const runs = await runsOf();
    await at.unlink('hold-B');
    await at.unlink('.flow/status.meta');
    expect((await at.robosmith('work', '--trust')).code).toBe(0);
    expect(await runsOf()).toEqual(runs);
    expect(await at.read(STATUS)).toBe(`- [x] a ${FLOW('A')}\n- [x] b ${FLOW('B')}\n`);
  });

  test('the intent is there before the task is dispatched, and counts crashes', async () => {
    verifies('tasks.dispatch.intent', 'tasks.dispatch.fatal');
    at = await taskProject(`- [ ] a ${FLOW('A')}\n`, { 'hold-A': '' });
    const intents = async () =>
      (JSON.parse(await at.read('.flow/intent.lock')) as { readonly tasks: readonly object[] }).tasks;
    for (const attempt_n of [1, 2]) {
      const working = await at.until('▶ A', 'work', '--trust');
      expect(await intents()).toEqual([{ task_id: 'status.md#a', attempt_n }]);
      working.signal('SIGKILL');
      await working.ended;
    }
    await at.write('.flow/intent.lock', { version: 1, runs: [], tasks: [{ task_id: 'status.md#a', attempt_n: 4 }] });
    const { code, out, err } = await at.robosmith('work', '--trust', '--json');
    expect([code, workedOf(out).ended]).toEqual([1, 'given_up']);
    expect(err).toContain('[!] 1 a  FATAL  failed 4 of 4 times\n');
    expect(await at.read(STATUS)).toBe(`- [!] a ${FLOW('A')}\n`);
    expect(await intents()).toEqual([]);
  });

  test('a task that has failed more than three times is FATAL, and work halts; a person begins it anew', async () => {
    verifies('tasks.dispatch.fatal');
    at = await taskProject(`- [ ] a ${FLOW('Broken')}\n- [ ] b ${FLOW('B')}\n`);
    const once = await at.robosmith('next', '--trust', '--json');
    expect([once.code, workedOf(once.out).worked[0]]).toMatchObject([1, { status: 'active', failures: 1 }]);
    const { code, out } = await at.robosmith('work', '--trust', '--json');
    expect([code, workedOf(out).ended]).toEqual([1, 'given_up']);
    expect(workedOf(out).worked.map(({ failures, status }) => `${failures} ${status}`)).toEqual([
      '2 active',
      '3 active',
      '4 failed',
    ]);
    expect(await at.read(STATUS)).toBe(`- [!] a ${FLOW('Broken')}\n- [ ] b ${FLOW('B')}\n`);
    expect(await runsOf()).toHaveLength(1);
    expect(await at.ran()).toEqual([]);
    expect((await at.robosmith('tasks', 'set', '1', 'pending')).code).toBe(0);
    await at.write(STATUS, `- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`);
    expect((await at.robosmith('work', '--trust')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B']);
  });

  test('retries: 0 gives up at once', async () => {
    at = await taskProject('- [ ] Broken <!-- type: flow, retries: 0 -->\n');
    expect((await at.robosmith('work', '--trust')).code).toBe(1);
    expect(await at.read(STATUS)).toBe('- [!] Broken <!-- type: flow, retries: 0 -->\n');
  });

  test('what can not begin leaves the plan as it is', async () => {
    const plan = `- [ ] a ${FLOW('Nowhere')}\n`;
    at = await taskProject(plan);
    const unknown = await at.robosmith('next', '--trust');
    expect([unknown.code, unknown.err.includes('no node or block "Nowhere"')]).toEqual([2, true]);
    await at.write(STATUS, `- [ ] a ${FLOW('A')}\n`);
    await at.write('.vision/workflows.json', (await at.read('.vision/workflows.json')).replace('"A"', '"A "'));
    expect((await at.robosmith('next')).code).toBe(2);
    expect(await at.read(STATUS)).toBe(`- [ ] a ${FLOW('A')}\n`);
    expect(await runsOf()).toEqual([]);
  });

  test('is refused without trust, with the command that trusts', async () => {
    at = await taskProject(`- [ ] a ${FLOW('A')}\n`);
    const { code, err } = await at.robosmith('work');
    expect([code, nextCommands(err)[0]]).toEqual([2, ['work', '--trust']]);
    expect((await at.robosmith(...(nextCommands(err)[0] ?? []))).code).toBe(0);
  });

  test('an active task that waits for one that failed needs a person', async () => {
    at = await taskProject(`- [/] a\n    - [!] b\n- [ ] c ${FLOW('C')}\n`);
    const { code, err } = await at.robosmith('work', '--trust');
    expect([code, err.includes('✗ tasks_blocked  .flow/status.md:1: ')]).toEqual([3, true]);
  });

  test('--strict and another hand: one document, with what was done before', async () => {
    verifies('tasks.saving.strict');
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`, { 'hold-B': '' });
    const working = await at.until('▶ B', 'work', '--trust', '--strict', '--json');
    await at.write(STATUS, `${await at.read(STATUS)}- [ ] mine\n`);
    await at.unlink('hold-B');
    const { code, out } = await working.ended;
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { ok: false, error: { code: 'tasks_changed' }, worked: [{ name: 'a', status: 'done' }] },
    ]);
  });

  test('a plan that is damaged meanwhile: what was done before is told', async () => {
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`, { 'hold-B': '' });
    const working = await at.until('▶ B', 'work', '--trust', '--json');
    await at.write(STATUS, `${await at.read(STATUS)}- nonsense\n`);
    await at.unlink('hold-B');
    const { code, out } = await working.ended;
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { ok: false, error: { code: 'tasks_missing_marker' }, worked: [{ name: 'a', status: 'done' }] },
    ]);
  });

  test('what may not be executed twice unasked: the run is named, and how to go on', async () => {
    at = await taskProject(`- [ ] a ${FLOW('Broken')}\n`);
    const manifest = await at.read('.vision/workflows.json');
    const once = manifest.replace(/(no-such-program"\s*\],\s*"side_effects":\s*)"idempotent"/, '$1"non_idempotent"');
    await at.write('.vision/workflows.json', once);
    expect((await at.robosmith('next', '--trust')).code).toBe(1);
    const { code, out } = await at.robosmith('next', '--trust', '--json');
    const [run = ''] = await runsOf();
    const error = { code: 'unsafe_to_retry', next: [`robosmith resume ${run} --retry`] };
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { ok: false, error, worked: [{ name: 'a', run, status: 'active', failures: 1, response: null }] },
    ]);
  });

  test('zoomed in: what is open outside is told, and how to get there', async () => {
    verifies('tasks.zoom.out');
    at = await taskProject(`- [ ] a\n    - [ ] x ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n- [ ] c\n`);
    await at.robosmith('zoom', 'in', '1');
    const { code, out, err } = await at.robosmith('work', '--trust', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { ended: 'none_left', outside: 2 }]);
    expect(err).toContain('✓ No task is left in this part of the plan; 2 outside of it; 1 done now.\n');
    expect(nextCommands(err)[0]).toEqual(['zoom', 'out']);
    expect(await at.ran()).toEqual(['A']);
  });

  test.each([
    ['accept', ['A', 'C']],
    ['restore', ['A', 'B']],
  ] as const)(
    'a plan that a block rewrites is not obeyed, in no process, until a person says %s',
    async (verb, ran) => {
      verifies('tasks.saving.noticed');
      at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`, { 'hold-A': '' });
      const working = await at.until('▶ A', 'work', '--trust');
      // A block's program could rewrite the plan and also the hash of the plan that the engine has stored.
      await at.write(STATUS, `- [/] a ${FLOW('A')}\n- [x] b ${FLOW('B')}\n- [ ] c ${FLOW('C')}\n`);
      const files = {
        'status.md': {
          sha256: createHash('sha256')
            .update(await at.read(STATUS))
            .digest('hex'),
        },
      };
      await at.write('.flow/status.meta', JSON.stringify({ version: 1, files, tasks: {}, scope: [] }));
      await at.unlink('hold-A');
      const { code, err } = await working.ended;
      expect([code, err]).toEqual([2, expect.stringContaining('tasks_changed  .flow/status.md')]);
      for (let tries = 0; tries < 2; tries += 1) expect((await at.robosmith('work', '--trust')).code).toBe(2);
      expect(await at.ran()).toEqual(['A']);
      expect((await at.robosmith('tasks', verb)).code).toBe(0);
      expect((await at.robosmith('work', '--trust')).code).toBe(0);
      expect(await at.ran()).toEqual(ran);
    },
  );
});
