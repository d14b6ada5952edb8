import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { openDocuments } from '#cli/docs/pages.ts';
import { type ServedPages, servePages } from '#cli/docs/serve-pages.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let served: ServedPages | null = null;
afterEach(() => served?.close());

async function robosmith(...args: readonly string[]) {
  const io = fakeIo();
  const code = await main(args, io);
  return { code, out: io.out(), err: io.err() };
}

test('the list has every group, and a name for each page', async () => {
  const { code, out, err } = await robosmith('docs');
  expect([code, err]).toEqual([0, '\nrobosmith docs <page> prints a page, --web shows all in your browser.\n']);
  expect(out.split('\n').filter((line) => line !== '' && !line.startsWith(' '))).toEqual([
    'Start',
    'Guides',
    'Cookbook',
    'Coming from',
    'Reference',
  ]);
  const { groups } = await openDocuments();
  for (const { name } of groups.flatMap(({ pages }) => pages)) expect(out).toContain(`  ${name} `);
});

test.each(['worktrees', 'guides/worktrees', 'docs/guides/worktrees.md'])('%s is the same page', async (name) => {
  const { code, out } = await robosmith('docs', name);
  expect([code, out.split('\n')[0]]).toEqual([0, 'PREPARING WORKTREES']);
});

test('a folder stands for its index, and a decision can be read though it is not listed', async () => {
  expect((await robosmith('docs', 'cookbook')).out).toMatch(/^COOKBOOK\n/);
  expect((await robosmith('docs', '2026-11-25-verdicts')).out).toMatch(/^VERDICTS AS DATA\n/);
});

test('an unknown and an ambiguous name say what to type', async () => {
  const unknown = await robosmith('docs', 'worktree');
  expect([unknown.code, unknown.out]).toEqual([2, '']);
  expect(unknown.err).toContain('There is no page "worktree". Did you mean "worktrees"?');
  const twice = await robosmith('docs', 'agents');
  expect(twice.code).toBe(2);
  expect(twice.err).toContain('robosmith docs guides/agents\n');
  expect(twice.err).toContain('robosmith docs reference/agents\n');
});

test('no name leads out of the documents', async () => {
  expect((await robosmith('docs', '../README')).code).toBe(2);
});

test('every page can be printed, without a fence or a link in Markdown', async () => {
  const { pages } = await openDocuments();
  for (const { path } of pages) {
    const { code, out } = await robosmith('docs', path);
    expect([path, code]).toEqual([path, 0]);
    expect([path, out.match(/^```|\]\([^)]*\.md/m)]).toEqual([path, null]);
  }
});

test('the shell is given the names of the pages', async () => {
  const { out } = await robosmith('completion', 'pages');
  expect(out.split('\n')).toContain('plan-to-merge');
  const bash = await robosmith('completion', 'bash');
  expect(bash.out).toMatch(/"docs "\*\)\n.*_robosmith_names pages/);
});

interface Got {
  readonly status: number;
  readonly body: string;
  readonly type: string;
  readonly policy: string;
  readonly location: string;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(served?.address ?? '');
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const asked = request({ hostname, port, path, headers, method }, (response) => {
    const { statusCode = 0, headers: received } = response;
    let body = '';
    response.on('data', (chunk: Buffer) => (body += chunk.toString()));
    response.on('end', () =>
      resolve({
        status: statusCode,
        body,
        type: received['content-type'] ?? '',
        policy: String(received['content-security-policy']),
        location: received.location ?? '',
      }),
    );
  });
  asked.once('error', reject);
  asked.end();
  return promise;
}

test('the browser gets pages with navigation, pictures, and nothing else', async () => {
  served = await servePages(await openDocuments());
  const page = await get('/guides/runs');
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.policy).toMatch(/^default-src 'none'; img-src 'self'; style-src 'nonce-/);
  expect(page.body).toContain('<a href="/guides/runs" aria-current="page">Runs</a>');
  expect(page.body).toContain('<h2 id="the-engine-host">The engine host</h2>');
  expect((await get('/')).body).toContain('<h1 id="robosmith">RoboSmith</h1>');
  expect(await get('/cookbook')).toMatchObject({ status: 302, location: '/cookbook/index' });
  expect(await get('/images/demo.svg')).toMatchObject({ status: 200, type: 'image/svg+xml' });
  for (const path of ['/none', '/images/../contents.json', '/contents.json', '/images/none.svg', '/%2e%2e/README'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

test('another host name and another method are refused', async () => {
  served = await servePages(await openDocuments());
  expect((await get('/', { Host: 'example.org' })).status).toBe(403);
  expect((await get('/', {}, 'POST')).status).toBe(403);
});

test('--web with --no-open prints the address, and ends with Ctrl-C', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const io = fakeIo({
    onInterrupt: (listener) => {
      resolve(listener);
      return () => undefined;
    },
  });
  const ended = main(['docs', 'gates', '--web', '--no-open'], io);
  const interrupt = await promise;
  const address = io.out().trim();
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/guides\/gates$/);
  const answer = await fetch(address);
  expect(await answer.text()).toContain('<h1 id="gates-and-decisions">');
  interrupt();
  expect(await ended).toBe(0);
});

test('on a terminal without --no-open a browser is needed; without one the address is to be opened by hand', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  const io = fakeIo({
    env: { PATH: '/nonexistent' },
    onInterrupt: (listener) => {
      resolve(listener);
      return () => undefined;
    },
  });
  const ended = main(['docs', '--web'], io);
  (await promise)();
  expect([await ended, io.err()]).toEqual([
    0,
    'Press Ctrl-C to stop.\nNo browser could be opened. Open the URL yourself.\n',
  ]);
});
