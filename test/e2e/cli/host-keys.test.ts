import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { verifies } from '../verifies.ts';
import { type HostedProject, hostedProject, isThere } from './hosted.ts';
import { type Ended, ended, start, to } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';

let server: FaultServer;
let at: HostedProject;
beforeEach(async () => {
  server = await startFaultServer();
  const url = server.url('needs-key');
  at = await hostedProject({
    '.vision/workflows.json': {
      version: 1,
      entry: 'Main',
      workers: { 'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url } },
      nodes: {
        Main: {
          entry_block: 'Ask',
          blocks: { Ask: { worker: 'Worker:Model', contract: 'Say hello.', transitions: [to('SUCCESS', 'RETURN')] } },
        },
      },
    },
  });
});
afterEach(async () => {
  await at.remove();
  await server.close();
});

const withKey = (...args: readonly string[]): Promise<Ended> =>
  ended(start(args, at.folder, { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: server.url('needs-key') }));

const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;

test('a host without the keys waits for them; a client that has them hands them over, and they stay in memory', async () => {
  verifies('engine.host.keys');
  const { pid } = await at.startHost();
  const first = await at.robosmith(...RUN);
  expect([first.code, first.err]).toEqual([
    3,
    expect.stringContaining(`there is no key for ${server.url('needs-key')}`),
  ]);
  // A client that has the key passes it to the running host.
  expect((await withKey('resume', '--retry')).code).toBe(0);
  expect(server.seen).toMatchObject([{ key: '' }, { key: SECRET }]);
  // The host keeps the key, so the next client doesn't need it.
  expect((await at.robosmith(...RUN)).code).toBe(0);
  expect(server.seen).toHaveLength(3);
  expect((await at.host())?.pid).toBe(pid);
  expect(readFileSync(at.file('.flow/logs/host.log'), 'utf8')).not.toContain(SECRET);
});

test('a host that a client with keys starts has them, but not in the environment that the system shows', async () => {
  verifies('engine.host.keys');
  const { code } = await withKey(...RUN, '--detach');
  expect(code).toBe(0);
  const { pid } = (await at.host()) ?? { pid: 0 };
  expect((await at.robosmith('host', 'stop')).code).toBe(0);
  expect(server.seen).toMatchObject([{ key: SECRET }]);
  expect(pid).toBeGreaterThan(0);
  const again = await withKey('host', 'start', '--json');
  const { host } = JSON.parse(again.out) as { readonly host: { readonly pid: number } };
  const shown = `/proc/${host.pid}/environ`;
  if (isThere(shown)) expect(readFileSync(shown, 'utf8')).not.toContain(SECRET);
  else expect(process.platform).not.toBe('linux');
});
