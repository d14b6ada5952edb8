import type { Environment } from '#protocol/environment.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import type { HostClient } from '#protocol/host-client.ts';

/**
 * The sessions of a project whose engine a host owns. `environment`: that of this client, for the commands and runs that
 * its requests begin; null for requests that begin none.
 */
export function remoteSessions(client: HostClient, environment: Environment | null): SessionApi {
  const own = { environment };
  return {
    create: (order) => client.call('session.create', { ...order, ...own }),
    change: (session, changes) => client.call('session.change', { session, changes }),
    submit: (session) => client.call('session.submit', { session, ...own }),
    withdraw: (session) => client.call('session.withdraw', { session }),
    resume: (session) => client.call('session.resume', { session, ...own }),
    foreign: (branch) => client.call('session.foreign', { branch }),
    adopt: (branch, commit) => client.call('session.adopt', { branch, commit }),
    fork: (session, from) => client.call('session.fork', { session, ...from, ...own }),
    rerun: (session, job, plan = []) => client.call('session.rerun', { session, job, plan, ...own }),
    moved: (session, known) => client.call('session.moved', { session, known }),
    merge: (session, choices) => client.call('session.merge', { session, choices, ...own }),
    update: (session, choices) => client.call('session.update', { session, choices, ...own }),
    hold: (session, choices) => client.call('session.hold', { session, choices, ...own }),
    discard: (session, choices) => client.call('session.discard', { session, choices, ...own }),
    push: (session, choices = { pr: false }) => client.call('session.push', { session, choices }),
    restore: (session) => client.call('session.restore', { session, ...own }),
  };
}
