import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRuns, projectTasks } from '#engine/index.ts';
import { verifies } from '../e2e/verifies.ts';
import { bundleProgram } from './process-pool.ts';
import { randomFrom } from './plan-histories.ts';
import { seed } from '../support/seeded-random.ts';

const asked = process.env['ROBOSMITH_TASK_CRASHES'] ?? '12';

const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-task-crash-'));
let program = { file: '', remove: (): void => undefined };
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('./task-work-process.ts', import.meta.url)));
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

const WORKER = `import { appendFileSync } from 'node:fs';
export const Say = {
  sideEffects: 'idempotent',
  execute: async (memory) => {
    appendFileSync('ran', memory.payload.map(({ content }) => content).join() + '\\n');
    return { signal: 'SIGNAL:SUCCESS' };
  },
};
`;

const FILES = {
  '.flow/flow.registry.json': '{ "say": "./say.mjs#Say" }',
  '.flow/status.md': '- [ ] Build\n    - [ ] [say] one\n    - [ ] sub @ sub_flows/s.md\n- [ ] [say] three\n',
  '.flow/sub_flows/s.md': '- [ ] [say] two\r\n',
  'say.mjs': WORKER,
};

let count = 0;

function makeProject(): string {
  count += 1;
  const root = path.join(folder, String(count));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

function work(root: string, killAt: number | null): Ended {
  const env = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(root, 'config') };
  const args = [program.file, root, killAt === null ? '' : String(killAt)];
  const { signal, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  return { signal, out: stdout, err: stderr };
}

interface Whole {
  readonly worked: { readonly ok: boolean; readonly ended: string };
  readonly points: readonly string[];
}

const wholeOf = ({ out, err }: Ended): Whole => {
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Whole;
};

const read = (root: string, name: string): string => readFileSync(path.join(root, name), 'utf8');

/** Expects all tasks to be done exactly once, and no leftover files. */
function checkEnd(root: string, where: string): void {
  expect(read(root, '.flow/status.md')).toBe(
    '- [x] Build\n    - [x] [say] one\n    - [x] sub @ sub_flows/s.md\n- [x] [say] three\n',
  );
  expect(read(root, '.flow/sub_flows/s.md')).toBe('- [x] [say] two\r\n');
  expect([where, read(root, 'ran')]).toEqual([where, '[say] one\n[say] two\n[say] three\n']);
  expect(projectRuns(root).map((one) => (one.kind === 'run' ? one.summary.status : one.kind))).toEqual([
    'completed',
    'completed',
    'completed',
  ]);
  expect(globSync('**/*.tmp', { cwd: path.join(root, '.flow') })).toEqual([]);
  expect(read(root, '.flow/intent.lock')).toContain('"tasks": []');
}

/** Expects that another process can read the task tree after its owner was killed. */
async function checkBetween(root: string): Promise<void> {
  const listed = await projectTasks(root);
  expect(listed).toMatchObject({ ok: true, listing: { notices: { changed: [], metaDamaged: false } } });
}

describe.skipIf(process.platform === 'win32')('work that is killed', () => {
  test(
    `at any write of the task tree goes on with a whole tree, and does nothing twice (ROBOSMITH_SEED=${seed})`,
    { timeout: 0 },
    async () => {
      verifies('tasks.work', 'tasks.dispatch.intent');
      const random = randomFrom(seed);
      const whole = makeProject();
      const { worked, points } = wholeOf(work(whole, null));
      expect(worked).toMatchObject({ ok: true, ended: 'none_left' });
      checkEnd(whole, 'not killed');
      expect(points.length).toBeGreaterThan(200);
      const all = points.map((_, index) => index + 1);
      const chosen =
        asked === 'all' ? all : Array.from({ length: Number(asked) }, () => 1 + Math.floor(random() * points.length));
      for (const killAt of chosen) {
        const root = makeProject();
        const where = `killed at ${killAt}, ${points[killAt - 1] ?? ''}`;
        const killed = work(root, killAt);
        expect([where, killed.signal]).toEqual([where, 'SIGKILL']);
        await checkBetween(root);
        // Every third process is killed a second time, soon after it resumes.
        if (killAt % 3 === 0 && work(root, 1 + Math.floor(random() * 40)).signal === 'SIGKILL')
          await checkBetween(root);
        const after = wholeOf(work(root, null));
        expect([where, after.worked]).toMatchObject([where, { ok: true, ended: 'none_left' }]);
        checkEnd(root, where);
        rmSync(root, { recursive: true, force: true });
      }
      console.log(`${points.length} points, ${chosen.length} kills, ROBOSMITH_SEED=${seed}`);
    },
  );
});
