import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { ended, project, type Project, start, to } from './robosmith.ts';

const manifest = (block: object = {}) => ({
  version: 1,
  nodes: {
    N: { entry_block: 'a', blocks: { a: { worker: 'mine', transitions: [to('SUCCESS', 'RETURN')], ...block } } },
  },
});

let at: Project;
beforeEach(async () => {
  at = await project({ '.flow/flow.registry.json': { mine: './w.mjs#W' } });
});
afterEach(() => at.remove());

async function withModule(code: string, block: object = {}): Promise<void> {
  await at.remove();
  at = await project({
    '.flow/flow.registry.json': { mine: './w.mjs#W' },
    '.vision/workflows.json': manifest(block),
    'w.mjs': code,
  });
}

const executing = (body: string): string => `export const W = { sideEffects: 'none', async execute() { ${body} } };`;
const OK = "return { signal: 'SIGNAL:SUCCESS' };";
const RUN = ['run', 'N', '--in', '.', '--trust', '--json'] as const;

async function run() {
  const { code, out, err } = await at.robosmith(...RUN);
  return { code, response: JSON.parse(out) as Response, err };
}

describe('a worker module of the project', () => {
  test('that calls process.exit(0) fails its block: the exit code is 1, and the Response is printed', async () => {
    await withModule(executing('process.exit(0);'));
    const { code, response } = await run();
    expect({ code, reason: response.reason, message: response.details['message'] }).toEqual({
      code: 1,
      reason: 'worker_error',
      message: 'mine: it ended its thread with process.exit(0)',
    });
  });

  test('that calls process.exit when it is imported is broken', async () => {
    await withModule('process.exit(0);');
    const { code, response } = await run();
    expect([code, response.reason]).toEqual([2, 'registry_error']);
    expect(response.details['message']).toContain('it cannot be loaded: it ended its thread with process.exit(0)');
    const check = await at.robosmith('registry', 'check', '--trust', '--json');
    expect(check.code).toBe(2);
    expect(JSON.parse(check.out)).toMatchObject({ ok: false, workers: [{ name: 'mine', status: 'broken' }] });
  });

  test('that leaves a rejection alone fails its block, without a stack trace', async () => {
    await withModule(
      executing(`Promise.reject(new Error('floating')); await new Promise((r) => setTimeout(r, 200)); ${OK}`),
    );
    const { code, response, err } = await run();
    expect([code, response.reason]).toEqual([1, 'worker_error']);
    expect(response.details['message']).toBe('mine: an unhandled error ended its thread: floating');
    expect(err).not.toContain('    at ');
  });

  test('whose timer throws after its success leaves the success as it is', async () => {
    await withModule(executing(`setTimeout(() => { throw new Error('late'); }, 300); ${OK}`));
    const { code, response } = await run();
    expect([code, response.success]).toEqual([0, true]);
  });

  test('that leaves an interval behind holds up nobody', async () => {
    await withModule(executing(`setInterval(() => {}, 1000); ${OK}`));
    expect((await run()).code).toBe(0);
  });

  test('prints to stderr: stdout is one JSON document', async () => {
    await withModule(executing(`console.log('printed'); ${OK}`));
    const { code, err } = await run();
    expect(code).toBe(0);
    expect(err).toContain('printed');
  });

  test('that loops for ever ends with its time limit', async () => {
    await withModule(executing('for (;;) {}'), { timeout_ms: 1_000 });
    const { code, response } = await run();
    expect([code, response.reason]).toEqual([1, 'timeout']);
  });

  test.skipIf(process.platform === 'win32')('that loops for ever ends with Ctrl-C', async () => {
    await withModule(`import { writeSync } from 'node:fs'; ${executing("writeSync(2, 'looping'); for (;;) {}")}`);
    const child = start(RUN, at.folder);
    child.stderr.on('data', (text: Buffer) => {
      if (text.includes('looping')) child.kill('SIGINT');
    });
    const { code, out } = await ended(child);
    expect([code, (JSON.parse(out) as Response).reason]).toEqual([0, 'interrupted']);
  });

  test.skipIf(process.platform === 'win32')('that loops for ever ends at once with a second signal', async () => {
    await withModule(
      `import { writeSync } from 'node:fs'; export const W = { sideEffects: 'none', cleanup() {}, async execute() { writeSync(2, 'looping'); for (;;) {} } };`,
    );
    const child = start(RUN, at.folder);
    child.stderr.on('data', (text: Buffer) => {
      if (!text.includes('looping')) return;
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGTERM'), 100);
    });
    expect((await ended(child)).code).toBe(130);
  });
});
