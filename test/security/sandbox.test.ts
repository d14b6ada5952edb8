import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../src/io/process/find-program.ts';
import { verifies } from '../e2e/verifies.ts';
import { canSandbox, type SandboxWorld, sandboxWorld, SYSTEM_PATH } from '../support/sandbox-world.ts';

/*
 * What a hostile or careless process tries in the sandbox, and what an honest one must be able to do. The scripts run as
 * real processes; a control runs the same scripts without the sandbox, so that none of them fails for another reason.
 */

const isMade = await canSandbox();

let world: SandboxWorld;
let server: Server;
let port = '';

const isThere = async (program: string): Promise<boolean> =>
  'file' in (await findProgram(program, '/', { platform: process.platform, searched: SYSTEM_PATH }));

beforeAll(async () => {
  world = await sandboxWorld();
  server = createServer((_, response) => response.end('SECRET of a local service'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? String(address.port) : '';
});
afterAll(async () => {
  server.close();
  await world.remove();
});

/** Each of these scripts prints a secret where nothing hinders it. */
const READS: Readonly<Record<string, string>> = {
  'a key file': 'cat ~/.ssh/id_ed25519',
  'all that is hidden at home': 'cat ~/.*/* ~/.*/*/* 2>/dev/null',
  'the login of an unknown program': 'cat ~/.a-program-nobody-knows/token',
  'a token in a file at home': 'cat ~/.npmrc',
  'credentials beside packages': 'cat ~/.cargo/credentials.toml',
  "another agent's login": 'cat ~/.claude/.credentials.json',
  "the user's RoboSmith folder": 'cat ~/.config/robo-smith/keys.json',
  'a hidden file through its link': 'cat ~/.netrc',
  'the target of such a link': 'cat ~/dotfiles/netrc ~/dotfiles/kube/config',
  'a secret through a link of its own': 'ln -s ~/.ssh/id_ed25519 innocent; cat innocent; rm innocent',
  'a secret through a folder link': 'ln -s ~/.aws here; cat here/credentials; rm here',
  'a secret through `..`': 'cat ../../.ssh/id_ed25519',
  'a secret through /proc': 'cat /proc/self/root/$HOME/.ssh/id_ed25519 /proc/self/cwd/../../.ssh/id_ed25519',
  'a copy by hard link': 'ln ~/.ssh/id_ed25519 hard && cat hard; rm -f hard',
  'the state of the project': 'cat "$PROJECT/.flow/engine.token"',
  'the prompts of other runs': 'cat "$PROJECT/.vision/logs/call.json"',
  'another worktree': 'cat "$OTHER/work.txt"',
  'another worktree through git': 'git -C "$OTHER" grep --untracked SECRET',
  'another process':
    'for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ; done 2>/dev/null | grep SANDBOX_CONTROL=SECRET',
  'a service of this machine':
    'node -e "fetch(\'http://127.0.0.1:\' + process.env.PORT).then((r) => r.text()).then(console.log)"',
};

/** Each of these scripts changes something outside of the worktree where nothing hinders it. */
const WRITES: Readonly<Record<string, string>> = {
  'the home folder': 'echo x >> ~/.bashrc',
  'a visible file at home': 'echo x >> ~/notes.txt',
  'a folder at home, removed': 'rm -rf ~/shared',
  'the main worktree': 'echo x > "$PROJECT/src/a.js"',
  'the main worktree through a link': 'ln -s "$PROJECT/src" s; echo x > s/b.js; rm s',
  'a file moved out': 'echo x > m; mv m "$PROJECT/m"; rm -f m',
  'an installed package': 'echo x > "$PROJECT/node_modules/dep/index.js"',
  'another worktree': 'echo x > "$OTHER/work.txt"',
  'a hook': 'echo "#!/bin/sh" > "$PROJECT/.git/hooks/pre-commit"',
  'a hook by a setting': 'git config core.hooksPath ./h',
  'a setting of the worktree': 'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor ./x',
  'a filter in info': 'mkdir -p "$PROJECT/.git/info"; echo "* filter=x" > "$PROJECT/.git/info/attributes"',
  'a commit': 'git commit -q --allow-empty -m x',
  'a branch': 'git branch evil',
  'a tag': 'git tag evil',
  'a new worktree': 'git worktree add -q "$OTHER-2"',
  'the index of the repository': 'touch new; git add new; rm new',
  'the objects of the repository': 'rm -rf "$PROJECT"/.git/objects/*',
  'an object put in place': 'echo hostile | git hash-object -w --stdin',
  'the git folder of another worktree': 'echo x > "$PROJECT/.git/worktrees/other/HEAD"',
  'the pointer of another worktree': 'echo "gitdir: /x" > "$OTHER/.git"',
  'a mode': 'chmod 777 ~/notes.txt',
};

/** Tries that have no control, because they would harm this machine, or need what a test can't give. */
const OTHERS: Readonly<Record<string, string>> = {
  'a setting of the kernel': 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo ESCAPED',
  'memory of the kernel': 'head -c 1 /proc/kcore > /dev/null 2>&1 && echo ESCAPED; head -c 1 /dev/mem && echo ESCAPED',
  'a control group': 'mkdir /sys/fs/cgroup/evil && echo ESCAPED',
  'a disk': 'ls /dev/sd* /dev/vd* /dev/nvme* 2>/dev/null && echo ESCAPED; mknod d b 8 0 && echo ESCAPED',
  'a mount that is undone': 'umount ~ && echo ESCAPED; mount -o remount,rw / && echo ESCAPED',
  'mounts in namespaces of its own':
    'unshare -Urm sh -c "umount -l $HOME; mount -o remount,rw /; mount --bind / /mnt; cat ~/.ssh/*; echo x >> ~/notes.txt"',
  'a system file': 'echo x >> /etc/hosts && echo ESCAPED; echo x > /usr/local/bin/evil && echo ESCAPED',
  'a schedule': 'echo "* * * * * id" > /var/spool/cron/crontabs/root && echo ESCAPED',
  passwords: 'cat /etc/shadow && echo ESCAPED',
  'sockets of services': 'find /run /var/run/ /tmp -type s 2>/dev/null | grep . && echo ESCAPED',
  'a name on the network': 'getent hosts example.com && echo ESCAPED',
  'another program with more rights': 'su -c id && echo ESCAPED; sudo -n id && echo ESCAPED',
  'a signal to the engine': 'kill -0 $ENGINE && echo ESCAPED',
  'the pointer of the worktree, written': 'echo "gitdir: /x" > .git && echo ESCAPED',
  'the pointer of the worktree, replaced':
    'mv .git g && echo ESCAPED; rm -f .git && echo ESCAPED; ln -sfn /x .git && echo ESCAPED',
};

/** Returns the ids of the processes of this machine whose command line contains a text. */
const withText = (text: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);

/** Returns a script that leaves processes with this name behind, the last of them without a parent or an environment. */
function leaving(name: string): string {
  const wait = `-e 'setTimeout(() => {}, 600000)' ${name}`;
  const hidden = `(setsid env -i "$(command -v node)" ${wait} >/dev/null 2>&1 &)`;
  return `node ${wait} & nohup node ${wait} & setsid node ${wait} & ${hidden}; echo started`;
}

const env = () => ({ PORT: port, ENGINE: String(process.pid) });

describe.skipIf(!isMade)('in the sandbox', () => {
  test.each(Object.entries(READS))('%s is not read', async (_, script) => {
    verifies('workers.ai.agent-sandbox');
    const { output, ended } = await world.run(script, { env: env() });
    expect([ended, output]).toEqual(['exited', expect.not.stringContaining('SECRET')]);
  });

  test.each(Object.entries(WRITES))('%s is not changed', async (_, script) => {
    const before = world.outside();
    const { ended } = await world.run(script, { env: env() });
    expect([ended, world.outside()]).toEqual(['exited', before]);
  });

  test.each(Object.entries(OTHERS))('%s is out of reach', async (_, script) => {
    const before = world.outside();
    const pointer = await readFile(path.join(world.worktree, '.git'), 'utf8');
    const { ended, output } = await world.run(script, { env: env() });
    expect([ended, output]).toEqual(['exited', expect.not.stringMatching(/ESCAPED|SECRET/)]);
    expect([world.outside(), await readFile(path.join(world.worktree, '.git'), 'utf8')]).toEqual([before, pointer]);
  });

  test('no process survives it, however it was started', async () => {
    const name = `survivor-${process.pid}`;
    const { output } = await world.run(leaving(name));
    expect([output, withText(name)]).toEqual(['started\n', []]);
  });

  test('an abort ends everything in it', async () => {
    const name = `aborted-${process.pid}`;
    const abort = new AbortController();
    const running = world.run(`setsid node -e 'console.log("up"); setTimeout(() => {}, 600000)' ${name}`, {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect([(await running).ended, withText(name)]).toEqual(['killed', []]);
  });

  test('with the network, secrets and files are as safe', async () => {
    const before = world.outside();
    const reading = Object.entries(READS).filter(([name]) => name !== 'a service of this machine');
    const script = [...reading.map(([, one]) => one), ...Object.values(WRITES)].join('\n');
    const { output } = await world.run(script, { env: env(), network: true });
    expect([output.includes('SECRET'), world.outside()]).toEqual([false, before]);
  });

  const pass = async (script: string, options = {}): Promise<string> => {
    const { exitCode, output } = await world.run(script, options);
    expect([exitCode, output]).toEqual([0, output]);
    return output;
  };

  const HONEST: Readonly<Record<string, readonly [script: string, output: string | RegExp]>> = {
    'git status': ['git status --short', ''],
    'git log': ['git log --oneline', /first\n$/],
    'git diff': ['echo "exports.a = 2;" > src/a.js; git diff --stat; git checkout -q src', / 1 file changed/],
    'git add, with a look at what is staged': [
      'echo x > new.js; git add new.js; git diff --cached --name-only; git status --short; rm new.js',
      'new.js\nA  new.js\n',
    ],
    'a repository of its own in a temporary folder': [
      'cd "$(mktemp -d)" && git init -q && git commit -q --allow-empty -m y && git log --oneline',
      / y\n$/,
    ],
    'a file in the worktree': ['mkdir -p out/x && echo built > out/x/f && cat out/x/f && rm -r out', 'built\n'],
    'temporary files': ['f=$(mktemp) && echo t > "$f" && cat "$f" && echo u > "$TMPDIR/u" && cat /tmp/u', 't\nu\n'],
    'a cache at home, for as long as it lasts': [
      'mkdir -p ~/.cache/tool && echo c > ~/.cache/tool/c && cat ~/.cache/tool/c',
      'c\n',
    ],
    'packages of the main worktree': [
      'ln -s "$PROJECT/node_modules" node_modules; node -p "require(\'dep\')"; rm node_modules',
      '42\n',
    ],
    'shared packages': [
      'ln -s ~/shared/node_modules node_modules; node -p "require(\'other-dep\')"; rm node_modules',
      '43\n',
    ],
    'a visible file at home': ['cat ~/notes.txt', 'notes\n'],
    'a server on loopback': [
      "node -e \"require('http').createServer((q, s) => s.end('pong')).listen(0, function () { fetch('http://localhost:' + this.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit(); }); })\"",
      'pong\n',
    ],
    'a socket in a temporary folder': [
      "node -e \"const n = require('net'); n.createServer((c) => c.end('pong')).listen('/tmp/s', () => n.connect('/tmp/s').on('data', (d) => { console.log(String(d)); process.exit(); }))\"",
      'pong\n',
    ],
    'its exit code and both streams': ['echo out; echo err >&2', 'out\nerr\n'],
  };

  test.each(Object.entries(HONEST))('works: %s', async (_, [script, output]) => {
    expect(await pass(script, { env: env() })).toMatch(typeof output === 'string' ? new RegExp(`^${output}$`) : output);
    expect(await pass('git status --short')).toBe('');
  });

  test('works: npm test with a server', async (context) => {
    if (!(await isThere('npm'))) return context.skip('npm is not installed');
    const code = `const test = require('node:test'); const http = require('node:http');
      test('serves', async () => {
        const server = http.createServer((q, s) => s.end('ok')).listen(0);
        await new Promise((resolve) => server.once('listening', resolve));
        const text = await (await fetch('http://127.0.0.1:' + server.address().port)).text();
        server.close();
        require('node:assert').strictEqual(text, 'ok');
      });\n`;
    await writeFile(path.join(world.worktree, 'served.test.js'), code);
    expect(await pass('npm test; code=$?; rm served.test.js; exit $code')).toMatch(/pass 1/);
  });

  test('works: pytest with temporary folders', async (context) => {
    if (!(await isThere('pytest'))) return context.skip('pytest is not installed');
    await writeFile(
      path.join(world.worktree, 'test_x.py'),
      'def test_x(tmp_path):\n    (tmp_path / "a").write_text("b")\n',
    );
    expect(await pass('pytest -q -p no:cacheprovider; code=$?; rm -r test_x.py __pycache__; exit $code')).toMatch(
      /1 passed/,
    );
  });

  test("a program sees its own settings, and can't change them for its next start", async () => {
    const options = { settings: ['~/.claude'], state: ['~/.claude/history'] };
    await mkdir(path.join(world.home, '.claude/history'));
    const before = world.outside();
    const script = 'cd ~/.claude; cat .credentials.json; echo x > settings.json; echo y >> .credentials.json; ls';
    const { output } = await world.run(script, options);
    expect([output.includes('SECRET claude'), world.outside()]).toEqual([true, before]);
    await pass('echo 1 > ~/.claude/history/1', options);
    expect(await readFile(path.join(world.home, '.claude/history/1'), 'utf8')).toBe('1\n');
  });

  test("a program's own state is kept", async () => {
    const state = ['~/.a-program-nobody-knows'];
    expect(
      await pass('cat ~/.a-program-nobody-knows/token; echo 2 > ~/.a-program-nobody-knows/log', { state }),
    ).toContain('SECRET');
    expect(await readFile(path.join(world.home, '.a-program-nobody-knows/log'), 'utf8')).toBe('2\n');
  });
});

describe.skipIf(!isMade)('without the sandbox', () => {
  let control: SandboxWorld;
  beforeAll(async () => {
    control = await sandboxWorld();
  });
  afterAll(() => control.remove());

  test.each(Object.entries(READS))('%s is read', async (_, script) => {
    const variables = { ...env(), SANDBOX_CONTROL: 'SECRET' };
    expect((await control.run(script, { sandboxed: false, env: variables })).output).toContain('SECRET');
  });

  test.each(Object.entries(WRITES))('%s is changed', async (_, script) => {
    const before = control.outside();
    await control.run(script, { sandboxed: false, env: env() });
    expect(control.outside()).not.toBe(before);
  });

  test('a process without a parent and an environment survives', async () => {
    const name = `orphan-${process.pid}`;
    await control.run(leaving(name), { sandboxed: false });
    const left = withText(name);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toHaveLength(1);
  });
});
