/** The client of a project's engine host, for front ends. It imports nothing of the engine. */
export { type ConnectResult, connectHost, type HostClient, type HostCommand } from './client.ts';
export { type FollowedSessions, followSessions } from './follow-sessions.ts';
export { createHostLink, type HostLink } from './host-link.ts';
export { createViewBridge, type ViewBridge } from './view-bridge.ts';
export { remoteRun } from './remote-run.ts';
export { remoteSessions } from './remote-sessions.ts';
export { graphHash } from '../wire/graph-hash.ts';
export { hostLog, hostLogFile } from '../wire/host-log.ts';
export { keyEnvironment } from '#io/keys/environment-keys.ts';
export { findRoot } from '#io/project/find-root.ts';
export { worktreeTop } from '#io/project/linked-worktree.ts';
