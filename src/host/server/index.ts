/** The server that gives clients access to the engine of one project, over a local socket. */
export { serveHost } from './serve-host.ts';
