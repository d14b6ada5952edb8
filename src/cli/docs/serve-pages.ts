import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { htmlPage } from './html-page.ts';
import { type Documents, readPage, titleOf } from './pages.ts';

export interface ServedPages {
  /** The address of the first page, without `/` at its end. */
  readonly address: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { '.svg': 'image/svg+xml', '.png': 'image/png' };

const ALWAYS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };

const policyOf = (nonce: string): string =>
  `default-src 'none'; img-src 'self'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  /** The address to which the browser is redirected. */
  readonly location?: string;
  readonly nonce?: string;
}

const NOT_FOUND: Answer = { status: 404, type: 'text/plain; charset=utf-8', body: 'There is no such page.\n' };

async function titlesOf(documents: Documents): Promise<ReadonlyMap<string, string>> {
  const titles = documents.pages.map(async (page): Promise<readonly [string, string]> => [
    page.path,
    titleOf(await readPage(documents, page)),
  ]);
  return new Map(await Promise.all(titles));
}

/** Answers a request for a path with a page or a picture of the documents. */
async function answer(documents: Documents, titles: ReadonlyMap<string, string>, pathname: string): Promise<Answer> {
  const name = pathname.slice(1);
  const type = TYPES[path.posix.extname(name)];
  if (type !== undefined && /^images\/[\w/-]+\.\w+$/.test(name))
    return readFile(path.join(documents.folder, name)).then(
      (body) => ({ status: 200, type, body }),
      () => NOT_FOUND,
    );
  const page = documents.pages.find((one) => one.path === (name === '' ? 'index' : name));
  const index = documents.pages.find((one) => one.path === `${name.replace(/\/$/, '')}/index`);
  // Links in an index page are relative to its folder, so its address must have its full path.
  if (page === undefined && index !== undefined) return { ...NOT_FOUND, status: 302, location: `/${index.path}` };
  if (page === undefined) return NOT_FOUND;
  const nonce = randomBytes(16).toString('base64');
  const body = htmlPage(await readPage(documents, page), page.path, documents, titles, nonce);
  return { status: 200, type: 'text/html; charset=utf-8', body, nonce };
}

function send(response: ServerResponse, { status, type, body, location, nonce }: Answer): void {
  response.writeHead(status, {
    ...ALWAYS,
    'Content-Type': type,
    'Content-Security-Policy': nonce === undefined ? "default-src 'none'" : policyOf(nonce),
    ...(location === undefined ? {} : { Location: location }),
  });
  response.end(body);
}

const FOREIGN: Answer = { ...NOT_FOUND, status: 403, body: 'Refused: open the URL exactly as RoboSmith printed it.\n' };

/** Serves the documents to browsers of this machine. Rejects with the system's error. */
export async function servePages(documents: Documents): Promise<ServedPages> {
  const titles = await titlesOf(documents);
  let port = 0;
  const hosts = (): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];
  const answered = async (request: IncomingMessage): Promise<Answer> => {
    // A request with another host name comes from a foreign web page whose name resolves to this machine (DNS
    // rebinding).
    if (!hosts().includes(request.headers.host ?? '') || request.method !== 'GET') return FOREIGN;
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    return url === null ? NOT_FOUND : answer(documents, titles, url.pathname);
  };
  const server = createServer((request, response) => {
    void answered(request)
      .catch((): Answer => NOT_FOUND)
      .then((one) => send(response, one));
  });
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => resolve(undefined));
  await promise;
  const address = server.address();
  if (typeof address === 'object' && address !== null) ({ port } = address);
  return {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
