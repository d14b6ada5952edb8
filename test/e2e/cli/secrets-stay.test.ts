import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANSWER, type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { commitAll } from './agent-setting.ts';
import { type Ended, ended, NODE, type Project, project, start, to } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';
const OTHER = 'sk-test-other-0123456789abcdef';
/**
 * A key in the format of an unknown provider. It is assembled at run time, so that the search for test keys does not
 * find it in this file.
 */
const STRANGE = ['sk', 'strange', 'abcdefghijklmnopqrstuvwxyz012345'].join('-');

let server: FaultServer;
let at: Project;
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  await at.remove();
  await server.close();
});

const model = () => ({
  kind: 'ai',
  provider: 'openai-compatible',
  model: 'tiny',
  base_url: server.url('none'),
});

const ask = (more: object = {}) => ({
  worker: 'Worker:Model',
  contract: 'Say hello.',
  transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
  ...more,
});

const manifest = (blocks: object, entry: string, workers: object = {}) => ({
  version: 1,
  entry: 'Main',
  commands: { test: [NODE, 'leak.mjs'] },
  workers: { 'Worker:Model': model(), ...workers },
  nodes: { Main: { entry_block: entry, blocks } },
});

const environment = () => ({
  ROBOSMITH_KEY_LOCAL: SECRET,
  ROBOSMITH_URL_LOCAL: 'http://127.0.0.1:9/v1',
  ROBOSMITH_KEY_BOX: OTHER,
  ROBOSMITH_URL_BOX: server.url('none'),
});

const robosmith = (...args: readonly string[]): Promise<Ended> => ended(start(args, at.folder, environment()));

const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;

function* contentsBelow(folder: string): Generator<readonly [string, string]> {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) yield* contentsBelow(file);
    else yield [file, readFileSync(file, 'latin1')];
  }
}

const filesWith = (text: string): readonly string[] =>
  [...contentsBelow(at.folder)].flatMap(([file, content]) => (content.includes(text) ? [file] : []));

const thenAsk = [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'JUMP:Ask')];

/** A program that prints the key in two writes, so that no single chunk of the output contains it. */
const LEAK = `
const key = process.env.ROBOSMITH_KEY_LOCAL ?? process.argv[2] ?? '';
process.stdout.write('authorization: Bearer ' + key.slice(0, 9));
setImmediate(() => {
  process.stdout.write(key.slice(9) + '\\n');
  process.stderr.write(key + '\\n');
  process.exitCode = 1;
});
`;

describe.each([
  ['a command of the manifest', { kind: 'command', command: [NODE, 'leak.mjs'], env: ['ROBOSMITH_KEY_LOCAL'] }],
  ['Internal:Command', 'Internal:Command'],
  ['Internal:TestRunner', 'Internal:TestRunner'],
] as const)('a key that %s prints', (_name, worker) => {
  test('is in no file of the project, in no event, and in no request to another endpoint', async () => {
    const named = typeof worker === 'string' ? worker : 'Worker:Leak';
    const params =
      worker === 'Internal:Command' ? { params: { command: [NODE, 'leak.mjs'], env: ['ROBOSMITH_KEY_LOCAL'] } } : {};
    // A test command gets no extra environment variables, so it has the key in its source.
    const leak =
      worker === 'Internal:TestRunner'
        ? LEAK.replace("''", "'" + ['sk-test', '0123456789abcdef'].join('-') + "'")
        : LEAK;
    at = await project({
      '.flow/.keep': '',
      '.vision/workflows.json': manifest(
        { Leak: { worker: named, ...params, transitions: thenAsk }, Ask: ask() },
        'Leak',
        typeof worker === 'string' ? {} : { 'Worker:Leak': worker },
      ),
    });
    const outside = path.join(at.folder, '..', 'leak.mjs');
    await writeFile(outside, leak);
    await writeFile(at.file('leak.mjs'), `import '../leak.mjs';\n`);
    const { code, out } = await robosmith(...RUN, '--jsonl');
    expect(code).toBe(0);
    expect(filesWith(SECRET)).toEqual([]);
    expect(out).not.toContain(SECRET);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.body).not.toContain(SECRET);
    expect(server.seen[0]?.body).toContain('authorization: Bearer [key]');
    await writeFile(outside, '');
  });
});

test('a key that a person puts into an input or an answer is kept in no file, and not printed', async () => {
  const gate = { worker: 'Internal:Command', params: { command: [NODE, '-e', '0'] }, gate: true };
  const blocks = { Gate: { ...gate, transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] } };
  at = await project({ '.vision/workflows.json': manifest(blocks, 'Gate'), '.flow/.keep': '' });
  const begun = await robosmith(...RUN, '--input', `use ${SECRET} here`, '--json');
  expect(begun.out).toContain('use [key] here');
  const [run = ''] = /\br[0-9a-f]{12}\b/.exec(begun.out) ?? [];
  const answered = await robosmith('resume', run, '--retry', '--guidance', `and ${OTHER}`, '--json');
  expect([...filesWith(SECRET), ...filesWith(OTHER)]).toEqual([]);
  expect(begun.out + begun.err + answered.out + answered.err).not.toMatch(new RegExp(`${SECRET}|${OTHER}`));
});

test.skipIf(process.platform !== 'linux')('a child finds no key in the environment of its parents', async () => {
  const look = `
import { readFileSync } from 'node:fs';
const found = [];
// Down to the process that was started here; what started that is the user's own.
for (let pid = process.ppid; pid !== Number(process.argv[2]) && pid > 1; ) {
  found.push(readFileSync('/proc/' + pid + '/environ', 'utf8').includes('0123456789abcdef') ? 'key' : 'none');
  pid = Number(readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[1]);
}
console.log('looked at ' + found.length + ': ' + found.join(' ') + ' own: ' + Object.values(process.env).some((one) => one.includes('0123456789abcdef')));
`;
  at = await project({
    '.flow/.keep': '',
    'look.mjs': look,
    '.vision/workflows.json': manifest(
      {
        Look: {
          worker: 'Internal:Command',
          params: { command: [NODE, 'look.mjs', String(process.pid)] },
          transitions: [to('SUCCESS', 'RETURN')],
        },
      },
      'Look',
    ),
  });
  const { code, out } = await robosmith(...RUN, '--json');
  expect(code).toBe(0);
  expect(out).toContain('looked at 1: none own: false');
});

describe('a key in a file that goes into a prompt', () => {
  const withFile = async (text: string): Promise<void> => {
    at = await project({
      '.flow/.keep': '',
      '.vision/workflows.json': manifest({ Ask: ask({ artifact: ['notes.md'] }) }, 'Ask'),
    });
    await writeFile(path.join(at.folder, '..', 'notes.md'), text);
    await writeFile(at.file('notes.md'), text);
  };
  afterEach(() => writeFile(at.file('notes.md'), ''));
  afterEach(() => writeFile(path.join(at.folder, '..', 'notes.md'), ''));

  test('is replaced before it is sent, the user hears of which file, and the log has what was sent', async () => {
    await withFile(`The key is ${SECRET}.\n`);
    const { code, err } = await robosmith(...RUN);
    expect(code).toBe(0);
    expect(err).toContain('The key local was found in');
    expect(err).toContain('notes.md');
    const [sent] = server.seen;
    expect(sent?.body).toContain('The key is [key].');
    const { calls } = JSON.parse((await robosmith('calls', '--json')).out) as {
      readonly calls: readonly { readonly call: string }[];
    };
    const shown = await robosmith('calls', 'show', calls[0]?.call ?? '', '--json');
    const { call } = JSON.parse(shown.out) as {
      readonly call: {
        readonly request: {
          readonly segments: readonly { readonly role: string; readonly text: string }[];
          readonly redacted?: true;
        };
      };
    };
    const user = call.request.segments.filter(({ role }) => role === 'user').map(({ text }) => text);
    const { messages } = JSON.parse(sent?.body ?? '{}') as {
      readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    };
    const content = messages.find(({ role }) => role === 'user')?.content;
    const text =
      typeof content === 'string'
        ? content
        : (content as readonly { readonly text: string }[]).map((one) => one.text).join('');
    expect(text).toBe(user.join('\n\n'));
    expect(call.request.redacted).toBeUndefined();
  });

  test('is not shown by --show-prompt either', async () => {
    await withFile(`The key is ${SECRET}.\n`);
    const { code, out, err } = await robosmith('run', 'Main', '--in', '.', '--show-prompt');
    expect(code).toBe(0);
    expect(out).toContain('The key is [key].');
    expect(err).toContain('The key local was found in');
  });

  test('of unknown origin is sent with a warning, or refused where the user says so', async () => {
    await withFile(`The key is ${STRANGE}.\n`);
    const first = await robosmith(...RUN);
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('has the form of a key')]);
    expect(server.seen).toHaveLength(1);
    const config = path.join(at.folder, '..', 'config');
    await mkdir(config, { recursive: true });
    await writeFile(path.join(config, 'outgoing.json'), '{"unknown_keys": "refuse"}');
    const second = await robosmith(...RUN);
    expect(second.code).not.toBe(0);
    expect(second.err).toContain('your outgoing.json refuses such prompts');
    expect(server.seen).toHaveLength(1);
  });
});

test('an answer still comes whole when no key is in it', async () => {
  at = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest({ Ask: ask() }, 'Ask') });
  const { code, out } = await robosmith(...RUN, '--json');
  expect(code).toBe(0);
  expect(out).toContain(JSON.stringify(ANSWER.join('')).slice(1, -1));
});

describe('an agent', () => {
  /**
   * An agent that saves its prompt outside the project, writes its key to a file that it may not write, and prints the
   * key.
   */
  const AGENT = `
import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('../asked.txt', readFileSync(0, 'utf8'));
writeFileSync('stolen.txt', 'key ' + process.env.ROBOSMITH_KEY_LOCAL);
console.log(process.env.ROBOSMITH_KEY_LOCAL);
console.log('SIGNAL:SUCCESS');
`;

  test('is asked without keys, and what it prints or writes elsewhere is kept without keys', async () => {
    at = await project({
      '.flow/.keep': '',
      '.gitignore': '.flow/\n.vision/logs/\n',
      'agent.mjs': AGENT,
      '.vision/workflows.json': manifest(
        {
          Fix: {
            worker: 'Worker:Agent',
            contract: 'Fix it.',
            artifact: ['notes.md'],
            access: { mode: 'partial', paths: ['src/**'] },
            transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
          },
        },
        'Fix',
        { 'Worker:Agent': { kind: 'agent', command: [NODE, 'agent.mjs'], env: ['ROBOSMITH_KEY_LOCAL'] } },
      ),
    });
    await writeFile(at.file('notes.md'), `The key is ${SECRET}.\n`);
    commitAll(at.folder);
    const { err } = await robosmith(...RUN);
    await writeFile(at.file('notes.md'), '');
    const asked = readFileSync(path.join(at.folder, '..', 'asked.txt'), 'utf8');
    expect(asked).toContain('The key is [key].');
    expect(err).toContain('the prompt contained a secret in');
    const kept = [...contentsBelow(at.file('.flow/put-back'))];
    expect(kept.map(([, text]) => text)).toEqual(['key [key]']);
    expect(filesWith(SECRET).filter((file) => !file.includes('.git'))).toEqual([]);
  });
});
