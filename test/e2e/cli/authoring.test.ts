import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { link, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { callRecord } from '../../support/call-record.ts';
import { verifies } from '../verifies.ts';
import {
  ANSWERS,
  ended,
  manifest,
  nextCommands,
  NODE,
  PROGRAM,
  project,
  start,
  to,
  type Project,
} from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const write = (text: object) => ({ '.vision/workflows.json': text, '.vision/answers.json': ANSWERS });

describe('init', () => {
  test('makes a project in which everything that it says to type next works', async () => {
    verifies(
      'overview.init.creates',
      'overview.manifest-path',
      'cli.init',
      'cli.error.next-command-works',
      'cli.simulate.stubbed',
      'cli.simulate.virtual-time',
    );
    at = await project({ 'package.json': { scripts: { test: 'node --test' } } });
    const { code, err } = await at.robosmith('init');
    expect(code).toBe(0);
    expect(err).toContain('Commands found: test: `npm test`.');
    const commands = nextCommands(err);
    expect(commands.map(([verb]) => verb)).toEqual(['simulate', 'validate', 'graph']);
    for (const command of commands) expect((await at.robosmith(...command)).code).toBe(0);
    expect(await readdir(at.file('.flow'))).toEqual(['flow.registry.json']);
    expect(await readFile(at.file('.gitignore'), 'utf8')).toContain('.flow/*\n!.flow/flow.registry.json');
  });

  test('makes a starter that can be run in a project without tests: its first test fails, the second passes', async () => {
    verifies('cli.init');
    at = await project({});
    expect((await at.robosmith('init')).code).toBe(0);
    expect((await at.robosmith('run', '--in', '.', '--trust')).code).toBe(0);
    expect(await readFile(at.file('robosmith-hello.mjs'), 'utf8')).toContain("'Hello ' + name");
    expect(await readFile(at.file('robosmith-hello.test.mjs'), 'utf8')).toContain("greet('Ada')");
  });

  test('says that a template was not used because there is a manifest', async () => {
    verifies('overview.init.overwrites-nothing');
    at = await project({ 'package.json': { scripts: { test: 'node --test' } } });
    await at.robosmith('init');
    const { code, err } = await at.robosmith('init', '--template', 'fix-bug');
    expect(code).toBe(0);
    expect(err).toContain('The template fix-bug was not used, because .vision/workflows.json exists.');
    expect((await at.robosmith('init')).err).not.toContain('was not used');
  });

  test('overwrites nothing', async () => {
    verifies('cli.init', 'overview.init.overwrites-nothing');
    at = await project({
      '.vision/workflows.json': '{"mine": true}',
      '.flow/flow.registry.json': '{}',
      '.vision/ignore': 'secret/',
      '.gitignore': 'dist',
    });
    const { out } = await at.robosmith('init', '--json');
    const { made } = JSON.parse(out) as { made: readonly { path: string; outcome: string }[] };
    expect(made.map((one) => `${one.path} ${one.outcome}`)).toEqual([
      '.flow/flow.registry.json kept',
      '.vision/workflows.json kept',
      '.vision/ignore kept',
      '.gitignore extended',
    ]);
    expect(await readFile(at.file('.vision/workflows.json'), 'utf8')).toBe('{"mine": true}');
    expect(await readFile(at.file('.flow/flow.registry.json'), 'utf8')).toBe('{}');
    expect(await readFile(at.file('.vision/ignore'), 'utf8')).toBe('secret/');
    expect((await at.robosmith('init', '--json')).out).toContain('"outcome": "kept"');
  });
});

test.each([
  [{}, true],
  [{ '.vision/workflows.json': '{"commands": {"test": ["make", "test"]}}' }, false],
])('init misses commands in a starter, not in a manifest that was there: %j', async (files, isMissed) => {
  at = await project(files);
  expect((await at.robosmith('init')).err.includes('No test, lint or build command was found')).toBe(isMissed);
});

describe('validate', () => {
  test('prints every finding with its line, and ends with 2', async () => {
    verifies('cli.validate', 'cli.error.code', 'cli.json.stderr');
    const wrong = JSON.parse(
      JSON.stringify(manifest(['x']))
        .replace('JUMP:Test', 'JUMP:Tset')
        .replace('Internal:TestRunner', 'Internal:TestRuner'),
    ) as object;
    at = await project(write(wrong));
    const { code, out, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.match(/^\.vision\/workflows\.json:\d+:\d+ {2}error RS\d{4} {2}/gm)).toHaveLength(2);
    expect(err).toContain('^');
    expect(err).toMatch(/✗ \.vision\/workflows\.json: 2 errors/);
    const json = JSON.parse((await at.robosmith('validate', '--json')).out) as {
      ok: boolean;
      diagnostics: readonly object[];
    };
    expect(json.ok).toBe(false);
    expect(json.diagnostics.length).toBeGreaterThanOrEqual(2);
  });

  test('finds the nearest manifest, or takes the one that is named', async () => {
    verifies('cli.manifest-option', 'cli.no-flow-needed');
    at = await project({ ...write(manifest(['x'])), 'deep/er/x.txt': '', 'other.json': '{' });
    expect((await at.robosmith('validate')).code).toBe(0);
    expect((await at.robosmith('validate', '--manifest', 'other.json')).code).toBe(2);
    const missing = await at.robosmith('validate', '--manifest', 'none.json');
    expect(missing.code).toBe(2);
    expect(missing.err).toBe(
      '✗ io  none.json cannot be read (ENOENT). The manifest of this project is .vision/workflows.json.\n\nNext:\n  robosmith validate --help\n',
    );
    const misspelt = await at.robosmith('diff', 'othr.json', 'other.json');
    expect([misspelt.code, misspelt.err]).toEqual([
      2,
      '✗ io  othr.json cannot be read (ENOENT). Did you mean "other.json"?\n\nNext:\n  robosmith diff --help\n',
    ]);
    expect((await at.robosmith('validate', '--manifest', 'deep')).err).toContain('robosmith validate --help');
  });

  test('text from the manifest cannot steer the terminal', async () => {
    at = await project(write({ ...manifest(['x']), 'bad\u001b[2J\u0007key': 1 }));
    const { code, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect(err).not.toContain('\u001b');
    expect(err).not.toContain('\u0007');
  });
});

describe('pictures and comparisons', () => {
  test('graph and export, to stdout or to a file; nothing runs', async () => {
    verifies('cli.graph', 'cli.export', 'cli.untrusted.nothing-runs', 'cli.no-flow-needed');
    at = await project(write(manifest([NODE, '-e', 'require("fs").writeFileSync("ran", "")'])));
    const graph = await at.robosmith('graph');
    expect(graph.out.startsWith('flowchart TD\n')).toBe(true);
    for (const format of ['json', 'ts', 'mermaid', 'dot', 'scxml', 'svg', 'html']) {
      const { code, out } = await at.robosmith('export', '--format', format);
      expect(code).toBe(0);
      const { err } = await at.robosmith('export', '--format', format, '--out', `out/w.${format}`);
      expect(err).toBe(`✓ Wrote out/w.${format}${format === 'json' ? ', in the new folder out' : ''}.\n`);
      expect(await readFile(at.file(`out/w.${format}`), 'utf8')).toBe(out);
    }
    expect(await readdir(at.folder)).not.toContain('ran');
  });

  test('a bundle for reviewers has the same bytes twice, with the costs of past runs', async () => {
    verifies('cli.export');
    const log = (call: number, block: string, microUsd: number | null) => ({
      [`.vision/logs/2026-11-21T08-00-0${call}-000Z-c000000${call}.json`]: callRecord(call, {
        run: `r${call}`,
        block,
        cost: { micro_usd: microUsd, source: null },
      }),
    });
    at = await project({
      ...write(manifest(['x'])),
      '.flow/.keep': '',
      ...log(1, 'Main__Make', 1_000),
      ...log(2, 'Main__Make', 3_000),
      ...log(3, 'Main__Make', null),
    });
    for (const folder of ['one', 'two']) expect((await at.robosmith('export', '--review', folder)).code).toBe(0);
    const names = await readdir(at.file('one'));
    expect(names.toSorted()).toEqual([
      ...['README.md', 'costs.md', 'dead-ends.md', 'loops.md', 'machines.json', 'signals.md', 'workers.md'],
      ...['workflow.html', 'workflow.mmd', 'workflow.svg'],
    ]);
    expect(await readdir(at.file('two'))).toEqual(names);
    for (const name of names)
      expect(await readFile(at.file(`two/${name}`)), name).toEqual(await readFile(at.file(`one/${name}`)));
    expect(await readFile(at.file('one/costs.md'), 'utf8')).toContain(
      '| `Main__Make` | 3 | $0.002000 | $0.003000 | 1 |',
    );
  });

  test('what is too much for Mermaid is written all the same, with a word and a picture that can be seen', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => to(`S${index}`, 'RETURN'));
    const targets = (index: number) => rows.map((row, more) => ({ ...row, action: `JUMP:B${(index + more) % 51}` }));
    const blocks = Array.from({ length: 51 }, (_, index) => [
      `B${index}`,
      { worker: 'Worker:A', transitions: targets(index) },
    ]);
    const nodes = { Main: { entry_block: 'B0', blocks: Object.fromEntries(blocks) as object } };
    at = await project(write({ ...manifest(['x']), nodes }));
    const { code, out, err } = await at.robosmith('graph');
    expect(code).toBe(0);
    expect(out).toContain('n0b50');
    expect(err).toContain('it has 511 arrows, and Mermaid draws at most 500');
    for (const command of nextCommands(err)) expect((await at.robosmith(...command)).code).toBe(0);
    expect(await readFile(at.file('workflow.html'), 'utf8')).toContain('<!doctype html>');
    expect((await at.robosmith('export', '--format', 'dot')).err).toBe('');
  });

  test('what a picture is made of is never overwritten with it, also under another name', async () => {
    const parts = { '.vision/workflows.json': { ...manifest(['x']), imports: ['./more.json'] } };
    at = await project({ ...parts, '.vision/answers.json': ANSWERS, '.vision/more.json': { version: 1, nodes: {} } });
    const names = ['.vision/workflows.json', '.vision/more.json', 'link.txt'];
    await link(at.file('.vision/workflows.json'), at.file('link.txt'));
    const before = await Promise.all(names.map((name) => readFile(at.file(name), 'utf8')));
    for (const name of names) {
      const { code, err } = await at.robosmith('export', '--format', 'ts', '--out', name);
      expect(code).toBe(2);
      expect(err).toContain(`${name} is an input of this command`);
    }
    expect(await Promise.all(names.map((name) => readFile(at.file(name), 'utf8')))).toEqual(before);
  });

  test.runIf(process.platform === 'linux')('a full disk on stdout is no success; a reader who leaves is', async () => {
    at = await project(write(manifest(['x'])));
    const full = ['-c', '"$0" "$1" graph >/dev/full', NODE, PROGRAM];
    expect(await ended(spawn('sh', full, { cwd: at.folder, stdio: ['ignore', 'pipe', 'pipe'] }))).toEqual({
      code: 1,
      out: '',
      err: 'The output cannot be written (ENOSPC).\n',
    });
    const left = start(['export', '--format', 'ts'], at.folder);
    left.stdout.destroy();
    expect(await ended(left)).toMatchObject({ code: 0, err: '' });
  });

  test('manifest show, resolved or as an outline', async () => {
    verifies('cli.manifest-show');
    at = await project(write(manifest(['x'])));
    expect((await at.robosmith('manifest', 'show')).out).toContain('    SUCCESS       → JUMP:Main__Test\n');
    const resolved = JSON.parse((await at.robosmith('manifest', 'show', '--resolved')).out) as object;
    expect(JSON.stringify(resolved)).toContain('workflows.json');
  });

  test('diff: 0 the same, 1 different, 2 trouble', async () => {
    verifies('cli.diff');
    at = await project(write(manifest(['x'])));
    await writeFile(at.file('b.json'), JSON.stringify(manifest(['y'])));
    await writeFile(at.file('answers.json'), '{}');
    const same = await at.robosmith('diff', '.vision/workflows.json', '.vision/workflows.json');
    expect([same.code, same.out]).toEqual([0, '✓ Same behaviour.\n']);
    const different = await at.robosmith('diff', '.vision/workflows.json', 'b.json');
    expect(different.code).toBe(1);
    expect(different.out).toBe('~ manifest\n    command test\n      - x\n      + y\n\n1 difference.\n');
    expect((await at.robosmith('diff', '.vision/workflows.json', 'none.json')).code).toBe(2);
  });
});

describe('the rest', () => {
  test('doctor looks and touches nothing', async () => {
    verifies('cli.doctor');
    at = await project(write(manifest(['no-such-program-anywhere'])));
    const { code, out } = await at.robosmith('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ ok {4}Node /m);
    expect(out).toMatch(/^! warn {2}no \.flow\/ here or in a parent folder/m);
    expect(out).toContain('The program "no-such-program-anywhere" was not found.');
    expect(await readdir(at.folder)).toEqual(['.vision', 'x.txt']);
    await writeFile(at.file('.vision/workflows.json'), '{');
    expect((await at.robosmith('doctor')).code).toBe(1);
  });

  test.each(['bash', 'zsh', 'fish', 'powershell'])('completion for %s', async (shell) => {
    verifies('cli.completion');
    at = await project({});
    const { code, out } = await at.robosmith('completion', shell);
    expect(code).toBe(0);
    for (const word of ['validate', 'simulate', 'script', 'show']) expect(out).toContain(word);
  });

  test.skipIf(process.platform === 'win32')('bash completes names of the project and values of options', async () => {
    verifies('cli.completion');
    at = await project({ ...write(manifest([NODE, '-e', '0'])), '.flow/.keep': '' });
    const { out } = await at.robosmith('completion', 'bash');
    await writeFile(at.file('completion.sh'), out);
    const program = `robosmith() { '${NODE}' '${PROGRAM}' "$@"; }`;
    const complete = (line: string): readonly string[] => {
      const words = line.split(' ');
      const script = `${program}\n. ./completion.sh\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length - 1}\n_robosmith\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      const said = execFileSync('bash', ['-c', script], { cwd: at.folder, encoding: 'utf8' });
      return said.split('\n').filter((word) => word !== '');
    };
    expect(complete('robosmith run M')).toEqual(['Main']);
    expect(complete('robosmith resume --jump Main__L')).toEqual(['Main__Last']);
    expect(complete('robosmith graph --format ')).toEqual(expect.arrayContaining(['mermaid', 'dot', 'svg', 'html']));
    expect(complete('robosmith sessions merge x --strategy ')).toEqual(['squash', 'merge', 'rebase']);
    expect(complete('robosmith graph --format ')).not.toContain('scxml');
    expect(complete('robosmith export --format sc')).toEqual(['scxml']);
    expect(complete('robosmith init --template fix')).toEqual(['fix-bug']);
    expect(complete('robosmith keys add work --provider openai-')).toEqual(['openai-compatible']);
    expect(complete('robosmith calls cost --by d')).toEqual(['day']);
    expect(complete('robosmith resume --manifest ')).toEqual(['new']);
    expect(complete('robosmith notify --desktop ')).toEqual(['on', 'off']);
    expect(complete('robosmith completion z')).toEqual(['zsh']);
    expect(complete('robosmith run --session-')).toEqual([]);
    expect(complete('robosmith sessions new A --priority ')).toEqual([]);
    expect(complete('robosmith -C sub sessions di')).toEqual(['diff', 'discard']);
    expect(complete('robosmith sessions di')).toEqual(['diff', 'discard']);
    expect((await at.robosmith('completion', 'nodes')).out).toBe('Main\n');
  });

  const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

  test.skipIf(!hasShell('fish'))('fish completes names of the project and values of options', async () => {
    verifies('cli.completion');
    at = await project({ ...write(manifest([NODE, '-e', '0'])), '.flow/.keep': '' });
    await writeFile(at.file('robosmith.fish'), (await at.robosmith('completion', 'fish')).out);
    const complete = (line: string): readonly string[] => {
      const script = `function robosmith; '${NODE}' '${PROGRAM}' $argv; end; source robosmith.fish; complete -C '${line}'`;
      const said = execFileSync('fish', ['--no-config', '-c', script], { cwd: at.folder, encoding: 'utf8' });
      return said.split('\n').flatMap((row) => (row === '' ? [] : (row.split('\t')[0] ?? '')));
    };
    expect(complete('robosmith run M')).toEqual(['Main']);
    expect(complete('robosmith resume --jump Main__L')).toEqual(['Main__Last']);
    expect(complete('robosmith export --format sc')).toEqual(['scxml']);
    expect(complete('robosmith do --best')).toEqual(['--best-of']);
    expect(complete('robosmith -C sub sessions di')).toEqual(['diff', 'discard']);
  });

  test.skipIf(!hasShell('zsh'))('zsh completes with the first tab, which loads the function', async () => {
    verifies('cli.completion');
    at = await project({});
    await mkdir(at.file('functions'));
    await writeFile(at.file('functions/_robosmith'), (await at.robosmith('completion', 'zsh')).out);
    /** Returns what the function offers to the completion system of zsh at its first call. */
    const offers = (...words: readonly string[]): string => {
      const stubs = 'compdef() { :; }; _describe() { print -l -- $commands; }; _arguments() { print -l -- "$@"; }';
      const script = `fpath=(functions); autoload -U _robosmith; ${stubs}; words=(robosmith ${words.join(' ')}); CURRENT=3; _robosmith`;
      return execFileSync('zsh', ['-f', '-c', script], { cwd: at.folder, encoding: 'utf8' });
    };
    expect(offers('sessions', 'dif')).toMatch(/^diff:Show what a session has changed/m);
    expect(offers('do', '--best')).toMatch(/^--best-of\[/m);
  });

  test('a simulation without a script names the answers that init wrote', async () => {
    verifies('cli.error.next-command-works');
    at = await project(write(manifest([NODE, '-e', '0'])));
    const { code, err } = await at.robosmith('simulate', 'Main');
    expect([code, nextCommands(err)[0]]).toEqual([2, ['simulate', 'Main', '--script', '.vision/answers.json']]);
  });

  test('version', async () => {
    verifies('cli.version');
    at = await project({});
    const { code, out } = await at.robosmith('--version');
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  test.each([
    [['validat'], "✗ usage  Unknown command 'validat' (Did you mean validate?)"],
    [['run'], '✗ usage  A session needs a git repository, and this directory is not in one'],
    [['run', 'Main'], '✗ usage  A session needs a git repository, and this directory is not in one'],
    [
      ['export', '--format', 'jsn'],
      '✗ usage  "jsn" is not a format of export. Use one of json, ts, mermaid, dot, scxml, svg, html. Did you mean "json"?',
    ],
    [['simulate', 'Main'], '✗ usage  A simulation needs scripted answers'],
    [['run', 'Main', '--in', 'nowhere'], '✗ usage  nowhere is not a directory.'],
    [
      ['simulate', 'Main', '--script', '.vision/answer.json'],
      '✗ io  .vision/answer.json cannot be read (ENOENT). Did you mean "answers.json"?',
    ],
    [['validate', '--bogus'], "✗ usage  Unknown option '--bogus'."],
    [['completion', 'tcsh'], '✗ usage  "tcsh" is not a supported shell'],
  ])('%j is a usage error whose next command works', async (args, message) => {
    verifies('cli.error.code', 'cli.error.next-command-works', 'cli.no-stack-trace');
    at = await project({ ...write(manifest([NODE, '-e', '0'])), '.flow/.keep': '' });
    const { code, out, err } = await at.robosmith(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
    const commands = nextCommands(err);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const next = await at.robosmith(...command);
      expect(next.err).not.toMatch(/✗ (usage|bug)/);
    }
  });

  test('a missing manifest is answered with init, which works', async () => {
    verifies('cli.error.next-command-works');
    at = await project({});
    const { code, err } = await at.robosmith('validate');
    expect(code).toBe(2);
    expect(nextCommands(err)).toEqual([['init']]);
    expect((await at.robosmith('init')).code).toBe(0);
    expect((await at.robosmith('validate')).code).toBe(0);
  });
});
