import type { SessionApi } from '#protocol/session-api.ts';
import type { HostClient } from './dial.ts';

/** The sessions of a project whose engine a host owns. */
export const remoteSessions = (client: HostClient): SessionApi => ({
  create: (order) => client.call('session.create', order),
  change: (session, changes) => client.call('session.change', { session, changes }),
  submit: (session) => client.call('session.submit', { session }),
  withdraw: (session) => client.call('session.withdraw', { session }),
  resume: (session) => client.call('session.resume', { session }),
  foreign: (branch) => client.call('session.foreign', { branch }),
  adopt: (branch, commit) => client.call('session.adopt', { branch, commit }),
  fork: (session, from) => client.call('session.fork', { session, ...from }),
  rerun: (session, job, plan = []) => client.call('session.rerun', { session, job, plan }),
  moved: (session, known) => client.call('session.moved', { session, known }),
  merge: (session, choices) => client.call('session.merge', { session, choices }),
  update: (session, choices) => client.call('session.update', { session, choices }),
  hold: (session, choices) => client.call('session.hold', { session, choices }),
  discard: (session, choices) => client.call('session.discard', { session, choices }),
  push: (session, choices = { pr: false }) => client.call('session.push', { session, choices }),
  restore: (session) => client.call('session.restore', { session }),
});
