import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import type { Failure } from './durable-documents.ts';
import type { DurableProject } from './durable.ts';
import { nextCommands } from './robosmith.ts';
import { FLOW, STATUS, taskProject } from './task-project.ts';

let at: DurableProject;
afterEach(() => at.remove());

interface Tree {
  readonly file: string;
  readonly structure: string;
  readonly active: string | null;
  readonly changed: readonly string[];
  readonly tasks: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

const treeOf = async (...more: readonly string[]): Promise<Tree> => {
  const { out } = await at.robosmith('tasks', '--json', ...more);
  return JSON.parse(out) as Tree;
};
const errorOf = (out: string) => (JSON.parse(out) as Failure).error;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashesOf = async (): Promise<Readonly<Record<string, { readonly sha256: string }>>> =>
  (
    JSON.parse(await at.read('.flow/status.meta')) as {
      readonly files: Readonly<Record<string, { readonly sha256: string }>>;
    }
  ).files;

describe('the plan', () => {
  test('is made, shown and changed from the command line', async () => {
    verifies('cli.tasks', 'tasks.tree.ids');
    at = await taskProject(null);
    const none = await at.robosmith('tasks');
    expect([none.code, none.out]).toEqual([0, 'No tasks yet.\n']);
    for (const args of [
      ['Build'],
      ['Parse', '--under', '1', '--node', 'A'],
      ['Test', '--under', '1'],
      ['Plan', '--before', '1'],
    ])
      expect((await at.robosmith('tasks', 'add', ...args)).code).toBe(0);
    expect(await at.read(STATUS)).toBe(`- [ ] Plan\n- [ ] Build\n    - [ ] Parse ${FLOW('A')}\n    - [ ] Test\n`);
    expect((await at.robosmith('tasks', 'set', '1', 'done', '--name', 'Plan')).code).toBe(0);
    expect((await at.robosmith('tasks', 'set', '2', '[/]')).code).toBe(0);
    const shown = await at.robosmith('tasks');
    expect(shown.out.split('\n')).toEqual([
      '1     [x] Plan',
      '2   → [/] Build',
      '2.1       [ ] Parse  runs A',
      '2.2       [ ] Test',
      '4 tasks: 1 done, 1 active, 2 pending',
      '',
    ]);
    expect((await at.robosmith('tasks', 'remove', '2.2')).code).toBe(0);
    expect((await treeOf()).tasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      '1 done',
      '2 active',
      '2.1 pending',
    ]);
    expect(nextCommands(shown.err)).toEqual([['next']]);
  });

  test('has its tasks moved, with what is below them', async () => {
    at = await taskProject('- [ ] a\n    - [ ] a1\n- [ ] b\n- [ ] c\n');
    const moved = await at.robosmith('tasks', 'move', '3', '--before', '1', '--name', 'c', '--json');
    expect(JSON.parse(moved.out)).toMatchObject({ ok: true, task: { id: '1', name: 'c', status: 'pending' } });
    expect((await at.robosmith('tasks', 'move', '2', '--last')).err).toContain('Moved  3 [ ] a\n');
    expect((await at.robosmith('tasks', 'move', '1', '--under', '2')).err).toContain('Moved  1.1 [ ] c\n');
    expect((await treeOf()).tasks.map(({ id, name }) => `${id} ${name}`)).toEqual(['1 b', '1.1 c', '2 a', '2.1 a1']);
    const below = await at.robosmith('tasks', 'move', '2', '--under', '2.1', '--json');
    expect([below.code, errorOf(below.out)]).toMatchObject([2, { code: 'stale_id' }]);
    const neither = await at.robosmith('tasks', 'move', '2', '--json');
    expect([neither.code, errorOf(neither.out)]).toMatchObject([2, { code: 'usage' }]);
  });

  test('may name a node that is not there yet: the task is made, and that is said at once', async () => {
    verifies('cli.tasks');
    at = await taskProject(null);
    const unknown = await at.robosmith('tasks', 'add', 'Parse', '--node', 'Brokn');
    expect([unknown.code, unknown.err]).toEqual([
      0,
      expect.stringContaining(
        '! The manifest has no node or block "Brokn". Did you mean "Broken"? Until this is fixed, robosmith next can\'t run this task.\n',
      ),
    ]);
    expect(await at.read(STATUS)).toBe(`- [ ] Parse ${FLOW('Brokn')}\n`);
    expect((await at.robosmith('tasks', 'add', 'Build', '--node', 'A')).err).not.toContain('!');
    await at.unlink('.vision/workflows.json');
    const without = await at.robosmith('tasks', 'add', 'Test', '--node', 'A', '--json');
    expect([without.code, without.err]).toEqual([0, expect.stringContaining('There is no .vision/workflows.json')]);
  });

  test('keeps its line ends, what it was before each save, and the hash of what it is', async () => {
    verifies('tasks.saving.backups');
    const written = '# Plan\r\n- [X] a\r\n- [ ] b <!-- ask Bob -->\r\n';
    at = await taskProject(written);
    const { err } = await at.robosmith('tasks', 'set', '2', 'done');
    expect(err).toContain('! Comments are not kept: .flow/status.md:3. The old file is in .flow/backups.');
    const saved = '# Plan\r\n- [x] a\r\n- [x] b\r\n';
    expect(await at.read(STATUS)).toBe(saved);
    expect(Object.entries(await hashesOf())).toEqual([['status.md', { sha256: sha256(saved) }]]);
    const backups = await readdir(at.file('.flow/backups'));
    const kept = await Promise.all(backups.sort().map((name) => readFile(at.file(`.flow/backups/${name}`), 'utf8')));
    expect(kept).toEqual([written, saved]);
  });

  test('refuses what a rule forbids, a stale id and what can be no name; nothing is written', async () => {
    verifies('tasks.tree.stale', 'tasks.tree.anchor', 'tasks.tree.activating', 'cli.error.next-command-works');
    at = await taskProject('- [ ] a\n    - [ ] b\n- [ ] c\n');
    const { structure } = await treeOf();
    const REFUSED = [
      [['tasks', 'set', '1.1', 'active'], 'tasks_parent_not_active'],
      [['tasks', 'set', '1', 'done'], 'tasks_unfinished_child'],
      [['tasks', 'set', '7', 'done'], 'stale_id'],
      [['tasks', 'set', '1', 'done', '--name', 'c'], 'stale_id'],
      [['tasks', 'set', '2', 'done', '--structure', 'older'], 'stale_id'],
      [['tasks', 'remove', '1.2'], 'stale_id'],
      [['tasks', 'add', 'a'], 'tasks_duplicate_name'],
      [['tasks', 'add', 'x @ y.md'], 'tasks_missing_name'],
      [['tasks', 'add', 'x\n- [x] y'], 'tasks_missing_name'],
      [['tasks', 'add', 'x <!-- type: flow -->'], 'tasks_missing_name'],
      [['tasks', 'add', 'x', '--node', 'A --> <!-- type: flow'], 'tasks_bad_metadata'],
      [['tasks', 'add', 'x', '--under', '9'], 'stale_id'],
      [['zoom', 'out'], 'stale_id'],
      [['tasks', 'set', '1', 'finished'], 'usage'],
      [['tasks', 'sett', '1', 'done'], 'usage'],
      [['tasks', 'add', 'x', '--under', '1', '--before', '2'], 'usage'],
    ] as const;
    for (const [args, code] of REFUSED) {
      const { code: exit, out, err } = await at.robosmith(...args, '--json');
      expect([args, exit, errorOf(out).code]).toEqual([args, 2, code]);
      for (const command of nextCommands(err))
        expect((await at.robosmith(...command)).err).not.toMatch(/✗ (usage|bug)/);
    }
    expect(await at.read(STATUS)).toBe('- [ ] a\n    - [ ] b\n- [ ] c\n');
    expect((await treeOf()).structure).toBe(structure);
  });

  test('with errors is told line by line, and left alone', async () => {
    verifies('tasks.grammar.errors');
    const broken = '- [ ] a\n  - [ ] b\n- [?] c\n- [ ] d @ ..\\e.md\n';
    at = await taskProject(broken);
    for (const args of [['tasks'], ['next'], ['work'], ['tasks', 'add', 'x'], ['zoom', 'in', '1']]) {
      const { code, err } = await at.robosmith(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain(
        'tasks_bad_indentation  .flow/status.md:2: It is indented by 2 blanks: use four per level.',
      );
      expect(err).toContain('tasks_unknown_marker  .flow/status.md:3: [?] is not a marker');
      expect(err).toContain('tasks_bad_reference  .flow/status.md:4: "..\\e.md" is refused: use "/" between folders');
    }
    expect(await at.read(STATUS)).toBe(broken);
  });

  test('that is no text, and one that leads out of .flow through a link', async () => {
    at = await taskProject(null);
    await writeFile(at.file(STATUS), Buffer.from([0x2d, 0x20, 0xff, 0xfe]));
    expect(errorOf((await at.robosmith('tasks', '--json')).out).code).toBe('tasks_not_text');
    await at.write(STATUS, '- [ ] a @ out/b.md\n');
    await mkdir(at.file('elsewhere'));
    await at.write('elsewhere/b.md', '- [ ] secret\n');
    await symlink(at.file('elsewhere'), at.file('.flow/out'));
    const { code, out } = await at.robosmith('tasks', '--json');
    expect([code, errorOf(out).code]).toEqual([2, 'tasks_bad_reference']);
    expect(out).not.toContain('secret');
  });

  test('of ten thousand tasks', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `${index % 10 === 0 ? '' : '    '}- [ ] task ${index}`);
    at = await taskProject(`${lines.join('\n')}\n`);
    const tree = await treeOf();
    expect([tree.tasks.length, tree.active]).toEqual([10_000, '1.1']);
    expect((await at.robosmith('tasks', 'set', '1000.9', 'done')).code).toBe(0);
    expect(await at.read(STATUS)).toBe(`${lines.join('\n').replace('[ ] task 9999', '[x] task 9999')}\n`);
  });
});

describe('another hand', () => {
  const EDITED = '- [x] a\n- [ ] b\n- [ ] mine\n';

  test('is noticed, and taken as it is; --strict refuses', async () => {
    verifies('tasks.saving.noticed', 'tasks.saving.strict');
    at = await taskProject('- [ ] a\n- [ ] b\n');
    expect((await at.robosmith('tasks', 'set', '1', 'done', '--strict')).code).toBe(0);
    await at.write(STATUS, EDITED);
    for (const args of [
      ['tasks'],
      ['tasks', 'add', 'c'],
      ['tasks', 'set', '2', 'done'],
      ['next'],
      ['work'],
      ['zoom', 'in', '2'],
    ]) {
      const { code, out, err } = await at.robosmith(...args, '--strict', '--json');
      expect([args, code, errorOf(out).code]).toEqual([args, 2, 'tasks_changed']);
      expect(nextCommands(err)).toEqual([
        ['tasks', 'accept'],
        ['tasks', 'restore'],
      ]);
    }
    expect(await at.read(STATUS)).toBe(EDITED);
    const { code, err } = await at.robosmith('tasks', 'set', '2', 'done');
    expect([code, err.split('\n')[0]]).toEqual([
      0,
      '! .flow/status.md was changed by another program and is used as it is.',
    ]);
    expect(await at.read(STATUS)).toBe('- [x] a\n- [x] b\n- [ ] mine\n');
    expect((await treeOf('--strict')).changed).toEqual([]);
  });

  test('may have changed a plan whose status.meta is damaged: --strict refuses until it is accepted', async () => {
    at = await taskProject('- [ ] a\n');
    await at.robosmith('tasks', 'set', '1', 'done');
    await at.write('.flow/status.meta', '{garbage');
    await at.write(STATUS, '- [x] a\n- [ ] mine\n');
    const { code, out, err } = await at.robosmith('work', '--strict', '--json');
    expect([code, errorOf(out).code]).toEqual([2, 'tasks_changed']);
    expect(nextCommands(err)).toEqual([['tasks', 'accept']]);
    expect((await at.robosmith('tasks', 'accept')).code).toBe(0);
    expect((await at.robosmith('tasks', '--strict')).code).toBe(0);
  });

  test('is accepted, or what it was is restored; neither is lost', async () => {
    verifies('tasks.saving.accept-or-restore');
    at = await taskProject('- [ ] a\n- [ ] b\n');
    await at.robosmith('tasks', 'set', '1', 'done');
    await at.write(STATUS, EDITED);
    const accepted = await at.robosmith('tasks', 'accept', '--json');
    expect(JSON.parse(accepted.out)).toEqual({ ok: true, accepted: ['status.md'] });
    expect((await treeOf('--strict')).tasks).toHaveLength(3);
    await at.write(STATUS, '- nonsense\n');
    expect((await at.robosmith('tasks', 'accept')).code).toBe(2);
    const restored = await at.robosmith('tasks', 'restore', '--json');
    expect(JSON.parse(restored.out)).toEqual({ ok: true, restored: ['status.md'] });
    expect(await at.read(STATUS)).toBe(EDITED);
    await at.unlink(STATUS);
    expect((await at.robosmith('tasks', 'restore')).code).toBe(0);
    expect(await at.read(STATUS)).toBe(EDITED);
    const backups = await readdir(at.file('.flow/backups'));
    const kept = await Promise.all(backups.map((name) => readFile(at.file(`.flow/backups/${name}`), 'utf8')));
    expect(kept).toContain('- nonsense\n');
  });

  test('may save while the engine works, which counts once it is accepted', async () => {
    at = await taskProject(`- [ ] a ${FLOW('A')}\n- [ ] b ${FLOW('B')}\n`, { 'hold-A': '' });
    const working = await at.until('▶ A', 'work', '--trust');
    expect((await treeOf()).active).toBe('1');
    // A person may save the plan in an editor. Since the task's command could also have changed it, the change takes
    // effect only after `tasks accept`.
    await at.write(STATUS, `- [/] a ${FLOW('A')}\n- [-] b ${FLOW('B')}\n- [ ] mine ${FLOW('C')}\n`);
    await at.unlink('hold-A');
    const { code: ended, err } = await working.ended;
    expect([ended, err.includes('tasks_changed')]).toEqual([2, true]);
    expect((await at.robosmith('tasks', 'accept')).code).toBe(0);
    expect((await at.robosmith('work', '--trust')).code).toBe(0);
    expect(await at.read(STATUS)).toBe(`- [x] a ${FLOW('A')}\n- [-] b ${FLOW('B')}\n- [x] mine ${FLOW('C')}\n`);
    expect(await at.ran()).toEqual(['A', 'C']);
  });
});

describe('zoom', () => {
  test('gives a task a file, makes it the scope, and goes back; its completion completes the task', async () => {
    verifies('tasks.zoom.in', 'tasks.zoom.out', 'tasks.zoom.completes');
    at = await taskProject('- [ ] a\n- [ ] b\n    - [x] old\n', { '.flow/sub_flows/task_2.md': 'somebody’s own\n' });
    expect((await at.robosmith('zoom', 'in', '2')).code).toBe(0);
    expect(await at.read(STATUS)).toBe('- [ ] a\n- [ ] b @ sub_flows/task_2_2.md\n');
    expect(await at.read('.flow/sub_flows/task_2_2.md')).toBe('- [x] old\n');
    expect(await at.read('.flow/sub_flows/task_2.md')).toBe('somebody’s own\n');
    for (const name of ['x', 'y']) await at.robosmith('tasks', 'add', name);
    expect((await at.robosmith('zoom', 'in', '2')).code).toBe(0);
    await at.robosmith('tasks', 'add', 'deep');
    expect(await treeOf()).toMatchObject({
      file: 'sub_flows/task_2_3.md',
      scope: ['sub_flows/task_2_2.md', 'sub_flows/task_2_3.md'],
    });
    expect((await at.robosmith('tasks', 'set', '1', 'done')).code).toBe(0);
    expect((await at.robosmith('zoom', 'out')).code).toBe(0);
    expect((await treeOf()).tasks.map(({ id, name, status }) => `${id} ${name} ${status}`)).toEqual([
      '1 old done',
      '2 x done',
      '2.1 deep done',
      '3 y pending',
    ]);
    await at.robosmith('tasks', 'set', '3', 'skipped');
    await at.robosmith('zoom', 'out');
    expect(await at.read(STATUS)).toBe('- [ ] a\n- [x] b @ sub_flows/task_2_2.md\n');
    expect(errorOf((await at.robosmith('zoom', 'out', '--json')).out).code).toBe('stale_id');
  });
});
