import type { SessionId } from '#protocol/id.ts';
import type { SessionApi } from '#protocol/session-api.ts';
import type { WorkInProgress } from './model/work-in-progress.ts';

/**
 * Registers each request that takes long as work in progress until it is done. A request that only waits for a
 * session's state to change is not registered. `during` is called with each request on a session, since the request may
 * move the session's branches.
 */
export function countedApi(
  api: SessionApi,
  inProgress: WorkInProgress,
  during: <Result>(session: SessionId, ask: () => Promise<Result>) => Promise<Result>,
): SessionApi {
  const counted =
    <More extends readonly unknown[], Result>(ask: (session: SessionId, ...more: More) => Promise<Result>) =>
    (session: SessionId, ...more: More): Promise<Result> =>
      inProgress.add(
        during(session, () => ask(session, ...more)),
        session,
      );
  return {
    ...api,
    create: (order) => inProgress.add(api.create(order)),
    change: counted(api.change),
    submit: counted(api.submit),
    resume: counted(api.resume),
    rerun: counted(api.rerun),
    adopt: (branch, commit) => inProgress.add(api.adopt(branch, commit)),
    fork: counted(api.fork),
    merge: counted(api.merge),
    update: counted(api.update),
    push: counted(api.push),
    hold: counted(api.hold),
    discard: counted(api.discard),
    restore: counted(api.restore),
  };
}
