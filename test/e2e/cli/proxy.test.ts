import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ConnectProxy, startConnectProxy } from '../../support/connect-proxy.ts';
import { documentOf } from '../../support/model-answers.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificates.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';

let secure: Server;
let port: number;
let seen: number;
let plain: FaultServer;
let proxy: ConnectProxy;
let here: Project;
beforeEach(async () => {
  seen = 0;
  secure = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
    seen += 1;
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(documentOf('chat', 'Hello.\nSIGNAL:SUCCESS')));
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  ({ port } = secure.address() as AddressInfo);
  plain = await startFaultServer();
  proxy = await startConnectProxy(port);
});
afterEach(async () => {
  await here.remove();
  await proxy.close();
  await plain.close();
  secure.closeAllConnections();
  secure.close();
});

/** The changes that remove the test process's proxy and certificate settings from the environment. */
const NEUTRAL = {
  HTTP_PROXY: '',
  HTTPS_PROXY: '',
  NO_PROXY: '',
  http_proxy: '',
  https_proxy: '',
  no_proxy: '',
  NODE_EXTRA_CA_CERTS: '',
};

async function run(baseUrl: string, environment: Readonly<Record<string, string>>): Promise<Ended> {
  here = await project({
    '.flow/.keep': '',
    'ca.pem': TEST_AUTHORITY,
    '.vision/workflows.json': {
      version: 1,
      entry: 'Main',
      workers: {
        'Worker:Model': {
          kind: 'ai',
          provider: 'openai-compatible',
          model: 'tiny',
          base_url: baseUrl,
          params: { stream: false },
        },
      },
      nodes: {
        Main: {
          entry_block: 'Ask',
          blocks: {
            Ask: {
              worker: 'Worker:Model',
              contract: 'Hi.',
              transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
            },
          },
        },
      },
    },
  });
  const trusted = environment['NODE_EXTRA_CA_CERTS'] === undefined ? {} : { NODE_EXTRA_CA_CERTS: here.file('ca.pem') };
  const all = { ...NEUTRAL, ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: baseUrl, ...environment, ...trusted };
  return ended(start(['run', 'Main', '--in', '.', '--trust', '--json'], here.folder, all));
}

const OWN_CA = { NODE_EXTRA_CA_CERTS: 'ca.pem' };

test('a call goes through the proxy of the environment, and trusts the authority that it names', async () => {
  verifies('workers.pool.proxy');
  const { port: at } = proxy;
  // Only the proxy can resolve that host name.
  const { code, out, err } = await run('https://models.test/v1', {
    HTTPS_PROXY: `http://me:hunter2@127.0.0.1:${at}`,
    ...OWN_CA,
  });
  expect(err).toContain('SUCCESS');
  expect(code).toBe(0);
  expect(proxy.asked).toEqual(['CONNECT models.test:443 me:hunter2']);
  expect(seen).toBe(1);
  expect(`${out}${err}`).not.toContain('hunter2');
});

test.each(['https_proxy', 'HTTPS_PROXY'])('%s without a scheme is meant as http', async (name) => {
  verifies('workers.pool.proxy');
  expect((await run('https://models.test/v1', { [name]: `127.0.0.1:${proxy.port}`, ...OWN_CA })).code).toBe(0);
  expect(proxy.asked).toEqual(['CONNECT models.test:443']);
});

test.each(['127.0.0.1', '*', 'example.com,127.0.0.1'])('NO_PROXY=%s leads around it', async (hosts) => {
  verifies('workers.pool.proxy');
  const { code } = await run(`https://127.0.0.1:${port}/v1`, { HTTPS_PROXY: proxy.url, NO_PROXY: hosts, ...OWN_CA });
  expect(code).toBe(0);
  expect(proxy.asked).toEqual([]);
  expect(seen).toBe(1);
});

test('an address without TLS goes through HTTP_PROXY', async () => {
  verifies('workers.pool.proxy');
  await proxy.close();
  proxy = await startConnectProxy(Number(new URL(plain.origin).port));
  const { code } = await run('http://models.test/none/v1', { HTTP_PROXY: proxy.url });
  expect(code).toBe(0);
  expect(proxy.asked).toHaveLength(1);
  expect(proxy.asked[0]).toContain('models.test');
  expect(plain.seen).toHaveLength(1);
});

test('without that authority nothing is sent, and it is said why', async () => {
  verifies('workers.pool.proxy');
  const { code, err } = await run('https://models.test/v1', { HTTPS_PROXY: proxy.url });
  expect(code).toBe(3);
  expect(err).toMatch(/certificate|CERT|SIGNATURE/);
  expect(seen).toBe(0);
});

test('an address that is none is told before anything is sent, without its password', async () => {
  verifies('workers.pool.proxy');
  const { code, err } = await run('https://models.test/v1', { HTTPS_PROXY: 'ftp://me:hunter2@proxy:1' });
  expect(code).toBe(3);
  expect(err).toContain('HTTPS_PROXY is not the URL of a proxy');
  expect(err).not.toContain('hunter2');
  expect(proxy.asked).toEqual([]);
});
