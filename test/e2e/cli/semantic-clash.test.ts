import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { BASE_SIDE } from '#protocol/semantic-clash.ts';
import { verifies } from '../verifies.ts';
import { to } from './robosmith.ts';
import { type Listed, type SessionProject, sessionProject } from './session-project.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
const cache = mkdtempSync(path.join(tmpdir(), 'robosmith-clash-cache-'));
afterEach(async () => {
  await at.remove();
  rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
});

/** The work of a session: it renames a function and its callers, or adds a caller in a new file. */
const WORK = `
import { readFileSync, writeFileSync } from 'node:fs';
if (process.argv[2] === 'rename')
  for (const file of ['src/greet.mjs', 'src/main.mjs'])
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('greet(', 'welcome(').replaceAll('{ greet }', '{ welcome }'));
if (process.argv[2] === 'use')
  writeFileSync('src/bye.mjs', "import { greet } from './greet.mjs';\\n\\nexport const bye = () => greet('all');\\n");
`;

/** A check that loads every module, as a test would. */
const CHECK = `
import { readdirSync } from 'node:fs';
for (const name of readdirSync('src')) {
  try {
    await import(new URL('src/' + name, import.meta.url));
  } catch (error) {
    console.log('src/' + name + ': ' + error.message);
    process.exitCode = 1;
  }
}
`;

const command = (what: string) => ({
  kind: 'command',
  command: ['node', 'work.mjs', what],
  side_effects: 'idempotent',
});

const node = (worker: string) => ({
  entry_block: 'Edit',
  blocks: { Edit: { worker, transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] } },
});

const MANIFEST = {
  version: 1,
  entry: 'Rename',
  commands: { check: ['node', 'check.mjs'], test: ['node', 'check.mjs'] },
  workers: { 'Worker:Rename': command('rename'), 'Worker:Use': command('use') },
  nodes: { Rename: node('Worker:Rename'), Use: node('Worker:Use') },
};

test(
  'two sessions that git merges cleanly and that do not fit together show Clash (semantic) with both lines',
  { timeout: 600_000 },
  async () => {
    verifies('worktrees.clash.semantic');
    at = await sessionProject(MANIFEST, { XDG_CACHE_HOME: cache });
    at.write('work.mjs', WORK);
    at.write('check.mjs', CHECK);
    at.write('src/greet.mjs', 'export function greet(name) {\n  return `Hello ${name}`;\n}\n');
    at.write('src/main.mjs', "import { greet } from './greet.mjs';\n\nexport const main = () => greet('you');\n");
    at.git('add', '-A');
    at.git('commit', '-qm', 'two');
    for (const name of ['Rename', 'Use']) {
      const begun = await at.robosmith('run', name, '--session', name, '--detach', '--trust');
      expect([begun.code, begun.err]).toEqual([0, expect.any(String)]);
    }
    for (const name of ['Rename', 'Use']) await at.untilState(name, 'ready');
    const listed = async (title: string): Promise<Listed> => {
      const found = (await at.sessions()).find(({ session }) => session.title === title);
      if (found === undefined) throw new Error(`there is no session ${title}`);
      return found;
    };
    await until(
      async () => (await listed('Use')).semantics[0]?.clashes[0]?.standing === 'proved',
      'the clash as proved',
    );

    const [rename, use] = [await listed('Rename'), await listed('Use')];
    expect([rename.overlap, use.overlap]).toEqual(['Clash (semantic)', 'Clash (semantic)']);
    expect([rename.clashes, rename.conflicts, use.clashes, use.conflicts]).toEqual([[], [], [], []]);
    expect(use.semantics).toMatchObject([
      {
        with: { title: 'Rename' },
        clashes: [
          {
            name: 'greet',
            changer: rename.session.id,
            change: { file: 'src/greet.mjs', line: 1 },
            use: { file: 'src/bye.mjs', line: 1, text: "import { greet } from './greet.mjs';" },
          },
          { name: 'greet', use: { file: 'src/bye.mjs', line: 3 } },
        ],
      },
    ]);
    const shown = await at.robosmith('sessions', 'show', 'Use');
    expect(shown.out).toContain(`does not fit together with Rename (${rename.session.id})`);
    expect(shown.out).toMatch(/changed {2}src\/greet\.mjs:1 /);
    expect(shown.out).toMatch(/used {5}src\/bye\.mjs:\d+ /);
    expect((await at.robosmith('sessions')).out).toContain('Clash (semantic)');
    expect((await at.robosmith('status')).out).toContain('Clash (semantic)');
    const inbox = (await at.robosmith('inbox')).out;
    expect(inbox).toContain(`Clash (semantic) with Rename (${rename.session.id})`);
    expect(inbox).toContain(`robosmith sessions diff ${use.session.id}\n`);
    expect(inbox).not.toContain('robosmith sessions merge');

    const merged = await at.robosmith('sessions', 'merge', 'Rename');
    expect([merged.code, merged.out + merged.err]).toEqual([
      0,
      expect.stringContaining(`Clash (semantic) with Use (${use.session.id})`),
    ]);
    // The base now contains the renamed function, so the work of the other session clashes with the base.
    await until(
      async () =>
        (await listed('Use')).semantics.some(
          ({ with: { id }, clashes }) => id === BASE_SIDE && clashes.some(({ standing }) => standing === 'proved'),
        ),
      'the clash with the base as proved',
    );
    expect((await at.robosmith('sessions', 'show', 'Use')).out).toContain('does not fit together with main');
    // Git merges without a conflict, but the merged files don't work.
    const verified = await at.robosmith('sessions', 'merge', 'Use', '--verify', '--trust');
    expect([verified.code, verified.out + verified.err]).toEqual([1, expect.stringContaining("named 'greet'")]);
    expect((await at.robosmith('sessions', 'merge', 'Use', '--no-verify')).code).toBe(0);
    const failed = (): Buffer => execFileSync('node', ['check.mjs'], { cwd: at.folder, stdio: 'pipe' });
    expect(failed).toThrow();
    expect(readFileSync(at.file('src/bye.mjs'), 'utf8')).toContain('greet');
  },
);
