/** The host's door: the engine as a process, and its client. */
export { type Connected, connectHost, type HostClient, type HostCommand, remoteRun } from './client.ts';
export { graphHash } from './graph-hash.ts';
export { hostLog, hostLogFile } from './host-log.ts';
export { remoteSessions } from './remote-sessions.ts';
export { serveHost } from './serve-host.ts';
