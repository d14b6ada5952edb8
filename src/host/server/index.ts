/** The server that gives clients access to the engine of one project, over a local socket or in its own process. */
export { type Host, serveHost } from './serve-host.ts';
export { hostLog, hostLogFile } from '../wire/host-log.ts';
