import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { RUN } from './durable.ts';
import { type HostedProject, hostedProject } from './hosted.ts';
import { NODE, PROGRAM, to } from './robosmith.ts';

let at: HostedProject;
afterEach(() => at.remove());

const then = (next: string) => [to('SUCCESS', next), to('FAIL_DEFAULT', 'HALT_AND_FLAG')];

const REPORT = (who: string): string =>
  `require('fs').appendFileSync('seen', \`${who} \${process.env.TARGET} \${process.env.OTHER}\\n\`)`;

/** A command, one in a block, a program on the PATH and a module report their environment. A gate lies between the two commands. */
const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: {
    'Worker:Env': {
      kind: 'command',
      env: ['TARGET'],
      command: [NODE, '-e', REPORT('command')],
      side_effects: 'idempotent',
    },
    'Worker:Tool': { kind: 'command', command: ['my-tool'], side_effects: 'idempotent' },
    'Worker:Module': { kind: 'module', module: 'env', env: ['TARGET'] },
  },
  nodes: {
    Main: {
      entry_block: 'Env',
      blocks: {
        Env: { worker: 'Worker:Env', transitions: then('JUMP:Block') },
        Block: {
          worker: 'Internal:Command',
          params: { command: [NODE, '-e', REPORT('block')], env: ['TARGET'] },
          transitions: then('JUMP:Tool'),
        },
        Tool: { worker: 'Worker:Tool', transitions: then('JUMP:Module') },
        Module: { worker: 'Worker:Module', transitions: then('JUMP:Again') },
        Again: { worker: 'Worker:Env', gate: true, transitions: then('RETURN') },
      },
    },
  },
};

const MODULE = `import { appendFileSync } from 'node:fs';
export const worker = {
  sideEffects: 'idempotent',
  async execute(memory) {
    appendFileSync(memory.system.worktree + '/seen', 'module ' + process.env.TARGET + ' ' + process.env.OTHER + '\\n');
    return { signal: 'SIGNAL:SUCCESS' };
  },
};
`;

/** Creates a folder with a program `my-tool` that reports its terminal. */
function terminal(name: string): Readonly<Record<string, string>> {
  const folder = at.file(path.join('bin', name));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'my-tool'), `#!/bin/sh\necho "tool ${name}" >> seen\n`, { mode: 0o755 });
  return { TARGET: name, OTHER: name, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
}

function typed(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const own = { ...process.env, ROBOSMITH_CONFIG_DIR: at.file('config'), NO_COLOR: '1', ...env };
  const { status, stdout, stderr } = spawnSync(NODE, [PROGRAM, ...args], {
    cwd: at.folder,
    env: own,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe.skipIf(process.platform === 'win32').each([false, true])('a run, with a host: %s', (isHosted) => {
  test('uses the environment of the terminal that starts or resumes it', async () => {
    at = await hostedProject({
      '.vision/workflows.json': MANIFEST,
      '.flow/flow.registry.json': { env: './module.mjs#worker', 'Internal:Command': 'builtin:Command' },
      'module.mjs': MODULE,
    });
    const [first, second] = [terminal('first'), terminal('second')];
    // The host is started by another terminal.
    if (isHosted) expect(typed(terminal('third'), 'host', 'start').code).toBe(0);
    const started = typed(first, ...RUN);
    expect([started.err, started.code]).toEqual([expect.stringContaining('h1'), 3]);
    expect(await at.read('seen')).toBe(
      'command first undefined\nblock first undefined\ntool first\nmodule first undefined\n',
    );
    const { run } = await at.newest();
    const resumed = typed(second, 'resume', run, '--proceed');
    expect([resumed.code, resumed.err]).toEqual([
      0,
      expect.stringContaining(`differ from the last start of ${run}: PATH, TARGET.`),
    ]);
    expect((await at.read('seen')).split('\n').at(-2)).toBe('command second undefined');
    const journal = await at.read(path.join('.flow', 'runs', run, 'journal.jsonl'));
    expect(journal).toContain('"TARGET"');
    expect(journal).not.toContain(first['PATH']);
  });
});
