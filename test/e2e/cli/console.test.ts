import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { PROGRAM, to } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { hasTmux, openTerminal, type Size, type Terminal } from './tmux.ts';

/** A manifest whose session does some work, and a person then decides on it. */
const REVIEWED = {
  ...MANIFEST,
  nodes: {
    Fix: {
      entry_block: 'Edit',
      blocks: {
        Edit: {
          worker: 'Worker:Edit',
          transitions: [to('SUCCESS', 'JUMP:Review'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        Review: {
          worker: 'Internal:ManualIntervention',
          transitions: [to('SUCCESS', 'RETURN'), to('REJECTED', 'JUMP:Edit'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
};

/** A shell that ends when a key is pressed and leaves the terminal in raw mode, as a crashing program would. */
const RUDE_SHELL = '#!/bin/sh\nstty raw -echo\nprintf "in $(pwd)"\nhead -c 1 >"$0.key"\n';

/** Code that makes the process fail with an error on SIGUSR2, as a bug would. */
const PLANTED = "data:text/javascript,process.on('SIGUSR2', () => { throw new Error('a planted bug'); });";

let at: SessionProject;
let terminal: Terminal | null = null;
beforeEach(async () => {
  at = await sessionProject(REVIEWED);
  at.openGate();
  at.write('.flow/flow.registry.json', '{ "Internal:ManualIntervention": "builtin:ManualIntervention" }');
});
afterEach(async () => {
  terminal?.end();
  terminal = null;
  await at.remove();
});

const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs `status --watch`, then prints its exit code and whether the mode of the terminal is the same as before. */
async function watching(size: Size, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const program = [process.execPath, '--import', PLANTED, PROGRAM, 'status', '--watch'].map(word).join(' ');
  const base = path.join(at.folder, '..');
  const shell = path.join(base, 'rude-shell');
  at.write('../rude-shell', RUDE_SHELL);
  chmodSync(shell, 0o755);
  const run = `sh -c ${word(`echo $$ > ../pid; SHELL=${word(shell)} exec ${program}`)}`;
  terminal = await openTerminal(
    `before=$(stty -g); ${run}; echo "ended with $?"; test "$before" = "$(stty -g)" && echo "terminal restored"; exec cat`,
    {
      folder: at.folder,
      socket: base,
      size,
      env: {
        ...process.env,
        CI: undefined,
        NO_COLOR: undefined,
        FORCE_COLOR: undefined,
        SHELL: '/bin/sh',
        ROBOSMITH_CONFIG_DIR: path.join(base, 'config'),
        ...env,
      },
    },
  );
  return terminal;
}

const pid = (): number => Number(readFileSync(path.join(at.folder, '..', 'pid'), 'utf8'));

const WIDE = { columns: 80, rows: 24 };

async function haltedSession(title: string): Promise<void> {
  await at.robosmith('run', 'Fix', '--session', title, '--trust', '--detach');
  await at.untilState(title, 'halted');
}

describe.skipIf(!hasTmux)('status --watch on a terminal', () => {
  test('a person rejects, approves and merges what waits, on what they see', async () => {
    verifies('cli.status');
    await haltedSession('Log in');
    const { type, until, resize } = await watching(WIDE);
    const screen = await until('+1 −0');
    expect(screen).toMatch(/^project {2}1 waits .*host \d+$/m);
    expect(screen).toMatch(/^❯ ■ Log in +waits Review +\+1 −0 +\d+s$/m);
    await type('d');
    expect(await until('+by log')).toContain('diff --git a/src/a.txt b/src/a.txt');
    await type('q');
    await until('Review waits for you: it is a manual step.');
    await type('x');
    await until('What should change?');
    await type('one line is not enough\r');
    await until('✓ Fix__Review: answered with reject.');
    await until('+2 −0');
    await resize({ columns: 40, rows: 20 });
    expect(await until('    waits Review · +2 −0')).toMatch(/^❯ ■ Log in {27,}\d+s$/m);
    await type('p');
    await until('Guidance (may be empty)');
    await type('\r');
    await until('✓ Log in');
    await type('m');
    await until('Merge Log in into main?');
    await type('y');
    await until('is merged');
    expect(at.git('show', 'main:src/a.txt').split('\n')).toHaveLength(4);
    await type('q');
    expect(await until('terminal restored')).toContain('ended with 0');
  });

  test('a refused merge is explained in place, with its next step', async () => {
    verifies('cli.status');
    await haltedSession('Log in');
    const [run = ''] = (await at.session('Log in')).runs;
    await at.robosmith('resume', run, '--proceed', '--json');
    const { id } = await at.untilState('Log in', 'ready');
    at.write('src/a.txt', 'changed by the user\n');
    const { type, until } = await watching({ columns: 100, rows: 24 });
    await until('ready');
    await type('m');
    await until('y yes');
    await type('y');
    const screen = await until(`robosmith sessions merge ${id}`);
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('has uncommitted files that the merge would overwrite.');
  });

  test('Ctrl-C, SIGTERM and a crash give the terminal back', async () => {
    const byKey = await watching(WIDE);
    await byKey.until('No active sessions.');
    await byKey.type('\u0003');
    expect(await byKey.until('terminal restored')).toMatch(/^ended with 0\nterminal restored$/m);
    byKey.end();

    const bySignal = await watching(WIDE);
    await bySignal.until('No active sessions.');
    process.kill(pid(), 'SIGTERM');
    expect(await bySignal.until('terminal restored')).toMatch(/^ended with 0\nterminal restored$/m);
    bySignal.end();

    const byCrash = await watching(WIDE);
    await byCrash.until('No active sessions.');
    process.kill(pid(), 'SIGUSR2');
    const screen = await byCrash.until('terminal restored');
    expect(screen).toContain('RoboSmith itself failed: a planted bug');
    expect(screen).toContain('ended with 1\nterminal restored');
  });

  test('a shell works in the worktree, and whatever mode it leaves, the console goes on', async () => {
    await haltedSession('Log in');
    const { type, until } = await watching(WIDE);
    await until('waits Review');
    await type('s');
    const shell = await until(`in ${path.dirname(at.folder)}`);
    const { worktree } = await at.session('Log in');
    // Line breaks are removed, because the path may be wider than the screen.
    expect(shell.replaceAll('\n', '')).toContain(`in ${worktree ?? ''}`);
    expect(shell).not.toContain('Review waits for you');
    await type('x');
    await until('Review waits for you');
    await type('?');
    await until('Keys of robosmith status --watch');
    await type('q');
    await until('Review waits for you');
    await type('q');
    await until('terminal restored');
  });

  test('no colours with NO_COLOR, and no text of others controls the terminal', async () => {
    await haltedSession('Log in');
    const hostile = JSON.stringify('Log \u001b[2J\u001b[31min\u202enil');
    at.write('.flow/sessions.json', at.read('.flow/sessions.json').replace('"Log in"', hostile));
    const { until, screen } = await watching(WIDE, { NO_COLOR: '1' });
    expect(await until('waits Review')).toContain('Log in\ufffdnil');
    // eslint-disable-next-line no-control-regex -- what capture-pane prints for colours and attributes
    expect(await screen('colours')).not.toMatch(/\u001b/);
  });
});
