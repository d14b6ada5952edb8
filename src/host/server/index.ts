/** The engine of one project behind a local socket. */
export { serveHost } from './serve-host.ts';
