import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { type Fault, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const SECRET = 'sk-test-0123456789abcdef';

let folder = '';
let server: FaultServer;
let keychain: ReturnType<typeof memoryKeychain>;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-keys-'));
  mkdirSync(path.join(folder, 'project', '.flow'), { recursive: true });
  server = await startFaultServer();
  keychain = memoryKeychain();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly secret?: string | null;
  readonly keychain?: SecureStorageService;
}

async function robosmith(args: readonly string[], { env = {}, secret = SECRET, ...more }: Given = {}) {
  const io = fakeIo({
    cwd: path.join(folder, 'project'),
    env: { ...env, ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') },
    readSecret: () => Promise.resolve(secret),
    keychain,
    ...more,
  });
  const code = await main(args, io);
  return { code, out: io.out(), err: io.err() };
}

const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await robosmith([...args, '--json'])).out) as Record<string, unknown>;

function* contentsBelow(where: string): Generator<string> {
  for (const name of readdirSync(where)) {
    const file = path.join(where, name);
    if (statSync(file).isDirectory()) yield* contentsBelow(file);
    else yield readFileSync(file, 'latin1');
  }
}

const add = (alias: string, fault: Fault, ...more: readonly string[]) =>
  robosmith(['keys', 'add', alias, '--provider', 'openai-compatible', '--base-url', server.url(fault), ...more]);

test('a key is added, listed, tested and removed; its secret is in the keychain and nowhere else', async () => {
  verifies('cli.keys', 'workers.pool.keychain');
  const said = [await add('box', 'none', '--account', 'mine', '--pool', 'fast')];
  expect(said[0]).toMatchObject({ code: 0, out: '✓ box: added.\n' });
  expect([...keychain.kept]).toEqual([['box', SECRET]]);
  expect(await json('keys')).toEqual({
    ok: true,
    problems: [],
    keys: [
      {
        alias: 'box',
        provider: 'openai-compatible',
        base_url: server.url('none'),
        account: 'mine',
        pool: 'fast',
        from: { kind: 'keychain' },
        tier: null,
        disabled: false,
        has_secret: true,
        keyless: false,
        state: 'healthy',
        until: null,
        why: null,
        said: '',
      },
    ],
  });
  said.push(await robosmith(['keys', 'test', 'box']));
  expect(said[1]).toMatchObject({ code: 0 });
  expect(said[1]?.out).toContain('box is accepted (2 models)');
  expect(server.seen).toMatchObject([{ key: SECRET, body: '' }]);
  said.push(await robosmith(['keys', 'remove', 'box']), await robosmith(['keys']));
  expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(keychain.kept.size).toBe(0);
  expect(await json('keys')).toEqual({ ok: true, keys: [], problems: [] });
  for (const text of [...contentsBelow(folder), ...said.flatMap(({ out, err }) => [out, err])])
    expect(text).not.toContain(SECRET.slice(3, 14));
});

test.each([
  ['status-401', 'invalid_key', 'invalid', 'was rejected: it is wrong, revoked or expired'],
  ['status-402', 'exhausted', 'exhausted', 'has no credit or quota left'],
  ['status-429', 'rate_limited', 'cooling', 'is valid but cooling down: too many requests in a short time, until 2'],
  ['status-403', 'forbidden', 'cooling', 'lacks the permission for this request'],
  ['status-500', 'server_error', 'healthy', 'the provider reported an error'],
  ['html-502', 'server_error', 'healthy', 'the provider reported an error'],
  ['redirect', 'bad_request', 'healthy', 'The endpoint redirects to /none/v1/elsewhere, where no key is sent'],
  ['broken-json', 'malformed', 'healthy', 'the answer has an unknown format'],
  ['cut-before-headers', 'network', 'healthy', 'there is no connection'],
] as const)(
  'what a provider says of a key is told, and noted if it is about the key: %s',
  async (fault, result, state, words) => {
    await add('box', fault);
    const { code, out } = await robosmith(['keys', 'test']);
    expect([code, out]).toEqual([1, expect.stringContaining(words)]);
    expect(out).not.toContain(SECRET.slice(3, 14));
    expect(await json('keys', 'test')).toMatchObject({ ok: false, tested: [{ alias: 'box', result, models: null }] });
    // `doctor` reads the same list.
    expect(await json('keys')).toMatchObject({ keys: [{ alias: 'box', state }] });
  },
);

test('a model is asked for a few tokens where one is named', async () => {
  await add('box', 'none');
  expect((await robosmith(['keys', 'test', 'box', '--model', 'tiny'])).out).toContain('box is accepted\n');
  expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ model: 'tiny', max_tokens: 16 });
  await add('poor', 'status-402');
  expect((await robosmith(['keys', 'test', 'poor', '--model', 'tiny'])).out).toContain('has no credit');
});

test('what can not be is refused before a secret is asked for, and nothing is kept', async () => {
  const asks = { readSecret: () => Promise.reject(new Error('asked')) };
  const refusals = [
    [['keys', 'add', 'work'], 'The provider of key work is missing'],
    [['keys', 'add', 'work', '--provider', 'nobody'], '"nobody" is not a provider'],
    [['keys', 'add', '../x', '--provider', 'openai'], 'is not a valid name for a key'],
    [['keys', 'add', 'box', '--provider', 'openai-compatible'], 'needs a URL'],
    [['keys', 'add', 'openai', '--base-url', 'file:///etc/passwd'], 'is not an address'],
    [['keys', 'add', 'openai', '--base-url', 'https://a:b@host/v1'], 'contains a password'],
    [['keys', 'add', 'openai', SECRET], 'must not be given on the command line'],
  ] as const;
  for (const [args, words] of refusals) {
    const { code, out, err } = await robosmith(args, asks as Given);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(words)]);
    expect(err).not.toContain(SECRET);
  }
  for (const secret of ['', ' \n', 'two words', 'sk-\u0000', 'ключ', null])
    expect((await robosmith(['keys', 'add', 'openai'], { secret })).code).toBe(2);
  expect(keychain.kept.size).toBe(0);
  expect(await json('keys')).toMatchObject({ keys: [] });
});

test('a key is replaced only when that is said, and keeps what is not said again', async () => {
  await add('box', 'none', '--account', 'mine');
  const again = await robosmith(['keys', 'add', 'box', '--provider', 'openai']);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('There is a key box already')]);
  expect((await robosmith(['keys', 'add', 'box', '--replace'], { secret: 'sk-another-one\n' })).code).toBe(0);
  expect(keychain.kept.get('box')).toBe('sk-another-one');
  expect(await json('keys')).toMatchObject({ keys: [{ base_url: server.url('none'), account: 'mine' }] });
});

test('the order and who is disabled hold for keys of the environment too', async () => {
  const env = { OPENAI_API_KEY: 'sk-1111', OPENAI_API_KEY_1: 'sk-2222' };
  await add('box', 'none');
  const list = async () => {
    const { out } = await robosmith(['keys', '--json'], { env });
    const { keys } = JSON.parse(out) as { readonly keys: readonly Record<string, unknown>[] };
    return keys.map(({ alias, tier, state }) => [alias, tier, state]);
  };
  expect(await list()).toEqual([
    ['openai', null, 'healthy'],
    ['openai-1', null, 'healthy'],
    ['box', null, 'healthy'],
  ]);
  expect((await robosmith(['keys', 'order', 'box,openai-1', 'openai'], { env })).code).toBe(0);
  expect((await robosmith(['keys', 'disable', 'openai-1'], { env })).code).toBe(0);
  expect(await list()).toEqual([
    ['box', 1, 'healthy'],
    ['openai-1', 1, 'disabled'],
    ['openai', 2, 'healthy'],
  ]);
  expect((await robosmith(['keys', 'enable', 'openai-1'], { env })).code).toBe(0);
  expect((await robosmith(['keys', 'order'], { env })).out).toContain('All keys take turns');
  expect(await list()).toHaveLength(3);
  expect((await list())[0]).toEqual(['openai', null, 'healthy']);
  for (const args of [
    ['order', 'box', 'box'],
    ['order', 'nobody'],
    ['disable', 'nobody'],
    ['remove', 'openai'],
  ])
    expect((await robosmith(['keys', ...args], { env })).code).toBe(2);
});

test('a key of the environment hides one of the keychain, and that is told', async () => {
  await robosmith(['keys', 'add', 'openai']);
  const env = { OPENAI_API_KEY: 'sk-1111' };
  const { out, err } = await robosmith(['keys'], { env });
  expect(err).toContain(
    'the key openai of the keychain is not used, because OPENAI_API_KEY defines a key of this name',
  );
  expect(out).toContain('OPENAI_API_KEY');
  expect((await robosmith(['keys', 'add', 'openai', '--replace'], { env })).code).toBe(2);
});

test('a key of an own server without its address is told, since it is not used', async () => {
  const env = { ROBOSMITH_KEY_MY_BOX: SECRET, ROBOSMITH_KEY_EMPTY: ' ' };
  const warning = 'the key in ROBOSMITH_KEY_MY_BOX is not used: set ROBOSMITH_URL_MY_BOX to the URL of its server';
  for (const args of [['keys'], ['keys', 'test']]) {
    const { err } = await robosmith(args, { env });
    expect(err.split('\n')[0]).toBe(`! ${warning}`);
    expect(err).not.toContain(SECRET);
    expect(err).not.toContain('EMPTY');
  }
  expect((await robosmith(['doctor'], { env })).out).toContain(`! warn  ${warning}\n`);
});

const locked = (): Promise<never> => Promise.reject(new RoboSmithError('no_keychain', 'It is locked.'));

test('without a keychain nothing is kept, and the others are still listed', async () => {
  const broken = { get: locked, store: locked, delete: locked };
  const added = await robosmith(['keys', 'add', 'openai'], { keychain: broken });
  expect([added.code, added.err]).toEqual([2, expect.stringContaining('no_keychain')]);
  expect(await json('keys')).toMatchObject({ keys: [] });
  await add('box', 'none');
  const env = { OPENAI_API_KEY: 'sk-1111' };
  const listed = await robosmith(['keys', 'list'], { keychain: broken, env });
  expect(listed.code).toBe(0);
  expect(listed.out).toMatch(/box .*no secret/);
  expect(listed.err).toContain('It is locked.');
});

test.each([
  '{',
  '[]',
  '{"version": 2}',
  '{"version": 1, "keys": [{"alias": "../x", "provider": "openai"}]}',
  '{"version": 1, "keys": [{"alias": "a", "provider": "openai"}, {"alias": "a", "provider": "openai"}]}',
  '{"version": 1, "disabled": "a"}',
  '{"version": 1, "order": ["a"]}',
])('a damaged book is never taken for an empty one: %s', async (text) => {
  mkdirSync(path.join(folder, 'config'), { recursive: true });
  writeFileSync(path.join(folder, 'config', 'keys.json'), text);
  const { code, err } = await robosmith(['keys', 'add', 'openai']);
  expect([code, err]).toEqual([2, expect.stringContaining("keys.json can't be used")]);
  expect(readFileSync(path.join(folder, 'config', 'keys.json'), 'utf8')).toBe(text);
  expect(keychain.kept.size).toBe(0);
  const listed = await robosmith(['keys'], { env: { OPENAI_API_KEY: 'sk-1111' } });
  expect(listed.err).toContain("keys.json can't be used");
  expect(listed.out).toContain('OPENAI_API_KEY');
});

test('doctor lists keys, where they are from and how they stand, and no secret', async () => {
  verifies('cli.doctor');
  await add('box', 'none');
  await robosmith(['keys', 'disable', 'box']);
  const { out } = await robosmith(['doctor'], { env: { OPENAI_API_KEY: SECRET } });
  expect(out).toContain('key openai: openai, from OPENAI_API_KEY\n');
  expect(out).toContain(`key box: ${server.url('none')}, from the keychain, disabled\n`);
  expect(out).not.toContain(SECRET);
});

test('a server on this computer is used without a key: by its address in the environment, or added with an empty key', async () => {
  const env = { ROBOSMITH_URL_LOCAL: server.url('none') };
  const noKeychain: SecureStorageService = {
    get: () => Promise.reject(new RoboSmithError('no_keychain', 'there is no keychain')),
    store: () => Promise.reject(new RoboSmithError('no_keychain', 'there is no keychain')),
    delete: () => Promise.reject(new RoboSmithError('no_keychain', 'there is no keychain')),
  };
  const plain = { env, secret: '', keychain: noKeychain };
  const compatible = ['--provider', 'openai-compatible', '--base-url'];
  const added = await robosmith(['keys', 'add', 'box', ...compatible, server.url('none')], plain);
  expect([added.code, added.err]).toEqual([0, expect.not.stringContaining('keychain')]);
  const { out, err } = await robosmith(['keys', '--json'], plain);
  expect(err).toBe('');
  expect(JSON.parse(out)).toMatchObject({
    problems: [],
    keys: [
      { alias: 'local', has_secret: false, keyless: true, state: 'healthy', from: { variable: 'ROBOSMITH_URL_LOCAL' } },
      { alias: 'box', has_secret: false, keyless: true, state: 'healthy' },
    ],
  });
  expect((await robosmith(['keys', 'test'], plain)).out).toContain('local is accepted');
  expect(server.seen).toMatchObject([{ key: '' }, { key: '' }]);
  const away = await robosmith(['keys', 'add', 'away', ...compatible, 'https://api.example.com/v1'], plain);
  expect([away.code, away.err]).toEqual([2, expect.stringContaining('No key was entered')]);
  expect((await robosmith(['keys', 'disable', 'local'], plain)).code).toBe(0);
  expect((await robosmith(['keys', 'remove', 'box'], plain)).code).toBe(0);
  const doctor = await robosmith(['doctor'], plain);
  expect(doctor.out + doctor.err).toContain('from ROBOSMITH_URL_LOCAL, needs no key, disabled');
});

test('a server on this computer that gets a key, and loses it again, keeps no secret', async () => {
  await add('box', 'none');
  expect((await robosmith(['keys', 'add', 'box', '--replace'], { secret: '' })).code).toBe(0);
  expect(keychain.kept.size).toBe(0);
  expect(await json('keys')).toMatchObject({ keys: [{ alias: 'box', keyless: true }] });
  await add('box', 'none', '--replace');
  expect(await json('keys')).toMatchObject({ keys: [{ alias: 'box', has_secret: true, keyless: false }] });
});
