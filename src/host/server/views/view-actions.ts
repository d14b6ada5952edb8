import path from 'node:path';
import { manifestPath } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { OutcomeVerb, Refusal, StartPoint, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { StartOutcome } from '#protocol/host.ts';
import type { HaltId, RunId, SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { refusedAnswerText, type Start } from '#protocol/run.ts';
import type { Answer, Response } from '#protocol/response.ts';
import type { SessionJob } from '#protocol/session.ts';
import type { DispositionResult } from '#protocol/session-api.ts';
import { commitMessageKey, guidanceKey } from '#protocol/view/draft-key.ts';
import type { OneView } from './one-view.ts';
import { NO_OUTCOME } from './integration.ts';
import type { ViewParts } from './view-parts.ts';

type PayloadOf<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

/** Performs an action. Resolves to a message to display, or null; throws a RoboSmithError. */
type Act<Command extends ViewToHost['command']> = (
  payload: PayloadOf<Command>,
  view: OneView,
) => Promise<string | null>;

const refused = (message: string, next: readonly string[] = []): RoboSmithError =>
  new RoboSmithError('refused', message, { next: [...next] });

function ofResponse({ reason, details }: Response): RoboSmithError {
  const { message, next } = details;
  const said = typeof message === 'string' ? message : (reason ?? 'refused').replaceAll('_', ' ');
  const ways = Array.isArray(next) ? next.filter((way) => typeof way === 'string') : [];
  return new RoboSmithError('refused', said, { next: ways, reason });
}

/** Returns why an action failed, as a message. */
export function refusalOf(thrown: unknown): Refusal {
  const next = RoboSmithError.is(thrown) ? thrown.data['next'] : undefined;
  const first: unknown = Array.isArray(next) ? next[0] : undefined;
  const reason = RoboSmithError.is(thrown) ? thrown.data['reason'] : undefined;
  return {
    code: typeof reason === 'string' ? reason : RoboSmithError.is(thrown) ? thrown.code : 'bug',
    message: messageOf(thrown),
    next: typeof first === 'string' ? first : null,
  };
}

const begun = (result: StartOutcome): RunId => {
  if (!result.ok) throw ofResponse(result.refusal);
  return result.run;
};

/** The cast is safe, because the ids are checked when the run starts. */
const startOf = (start: StartPoint): Start => start as Start;

function entryOf({ project }: ViewParts): StartPoint {
  const entry = project.manifest()?.graph?.entry ?? null;
  if (entry === null) throw refused('The manifest has no entry. Choose where to start.', ['robosmith validate']);
  return { node: entry };
}

const manifestIn = async (root: string): Promise<string> => path.join(root, await manifestPath(root));

const jobOf = async (root: string, start: StartPoint, step: boolean, input: string | null): Promise<SessionJob> => ({
  start: startOf(start),
  manifest: await manifestIn(root),
  input,
  script: null,
  stepMode: step,
});

function runActions(parts: ViewParts) {
  const { root, call, checkTrust, project } = parts;
  const run: Act<'run'> = async ({ session, start, step, input }, view) => {
    await checkTrust();
    const from = start ?? entryOf(parts);
    if (session !== null) {
      await call('session.rerun', { session: session as SessionId, job: await jobOf(root, from, step, input) });
      project.ask();
      return null;
    }
    const started = await call('run.start', {
      start: startOf(from),
      directory: root,
      manifest: await manifestIn(root),
      input,
      script: null,
      step,
    });
    const id = begun(started);
    await view.show(id);
    project.ask();
    return null;
  };
  const create: Act<'create'> = async ({ title, start, step, input, plan }, view) => {
    await checkTrust();
    const none = { base: null, attach: null, priority: null, after: [], isDraft: false };
    const session = await call('session.create', { title, job: await jobOf(root, start, step, input), plan, ...none });
    await view.show(session.id);
    project.ask();
    return null;
  };
  const resume: Act<'resume'> = async ({ run: id }, view) => {
    const retry = view.live()?.picture.run.status === 'failed';
    begun(await call('run.resume', { run: id as RunId, retry, guidance: null, manifest: null }));
    project.ask();
    return null;
  };
  return { run, create, resume };
}

const control =
  (parts: ViewParts, method: 'run.pause' | 'run.stop') =>
  async ({ run }: { readonly run: string }): Promise<string | null> => {
    const { accepted, message } = await parts.call(method, { run: run as RunId });
    if (!accepted) throw refused(message);
    return message;
  };

function answerActions({ call, setDraft }: ViewParts) {
  const give = async (run: string, halt: string, answer: Answer): Promise<null> => {
    const outcome = await call('run.answer', { run: run as RunId, halt: halt as HaltId, answer });
    if (!outcome.accepted) throw refused(outcome.message ?? refusedAnswerText(outcome));
    setDraft({ key: guidanceKey({ run, halt }), text: '' }, null);
    return null;
  };
  const answer: Act<'answer'> = ({ run, halt, answer: { guidance, ...given } }) =>
    give(run, halt, { ...given, ...(guidance === null ? {} : { guidance }) } as Answer);
  const step: Act<'step'> = ({ run, halt }) => give(run, halt, { verb: 'proceed' });
  return { answer, step };
}

function forkAction({ call, project }: ViewParts): Act<'fork'> {
  return async ({ run, step, session }, view) => {
    const from = { run: run as RunId, step };
    if (session !== null) {
      const forked = await call('session.fork', { session: session as SessionId, ...from });
      await view.show(forked.id);
      project.ask();
      return `${forked.title} continues from step ${step}.`;
    }
    const { run: made } = await call('run.fork', from);
    begun(await call('run.resume', { run: made, retry: false, guidance: null, manifest: null }));
    await view.show(made);
    project.ask();
    return null;
  };
}

const STEP: Readonly<Record<OutcomeVerb, string>> = {
  merge: 'Merging into the base',
  hold: 'Committing uncommitted changes',
  discard: 'Removing the worktree and the branch',
  push: 'Pushing the branch',
  update: 'Merging the base into the branch',
};

function outcomeActions(parts: ViewParts) {
  const { call, setOutcome, setDraft, now, project } = parts;
  const dispose = async (verb: OutcomeVerb, id: string, work: (session: SessionId) => Promise<DispositionResult>) => {
    setOutcome(id, { busy: { verb, step: STEP[verb], since: now() }, refusal: null, notes: [] });
    try {
      const done = await work(id as SessionId);
      if (!done.ok) {
        const refusal = { verb, code: 'refused', message: done.why, next: null, files: done.files };
        setOutcome(id, { ...NO_OUTCOME, refusal });
        throw refused(done.why);
      }
      setOutcome(id, { ...NO_OUTCOME, notes: done.notes });
      // The notes are returned only for a discard, because a discarded session has no result in the view. For other
      // outcomes, the view shows the notes with the session's result.
      return verb === 'discard' && done.notes.length > 0 ? done.notes.join('\n') : null;
    } catch (thrown) {
      if (parts.outcomeOf(id).refusal === null)
        setOutcome(id, { ...NO_OUTCOME, refusal: { verb, ...refusalOf(thrown), files: [] } });
      throw thrown;
    } finally {
      project.ask();
    }
  };
  const merge: Act<'merge'> = async ({ session, message, strategy, verify, tree }) => {
    const merged = await dispose('merge', session, (id) =>
      call('session.merge', {
        session: id,
        choices: { strategy: strategy ?? 'squash', message, verify: verify || 'when_base_moved', tree },
      }),
    );
    setDraft({ key: commitMessageKey(session), text: '' }, null);
    return merged;
  };
  const hold: Act<'hold'> = ({ session, release }) =>
    dispose('hold', session, (id) => call('session.hold', { session: id, choices: { release } }));
  const discard: Act<'discard'> = ({ session, force, confirmed }) => {
    if (!confirmed) throw refused('Discarding removes the worktree and the branch: confirm it first.');
    return dispose('discard', session, (id) => call('session.discard', { session: id, choices: { force } }));
  };
  const resumeSession: Act<'resumeSession'> = async ({ session }, view) => {
    await call('session.resume', { session: session as SessionId });
    await view.show(session);
    project.ask();
    return null;
  };
  const restore: Act<'restore'> = async ({ session }, view) => {
    const done = await call('session.restore', { session: session as SessionId });
    if (!done.ok) throw refused(done.why);
    await view.show(session);
    project.ask();
    return done.notes.length > 0 ? done.notes.join('\n') : null;
  };
  const push: Act<'push'> = ({ session, pr }) =>
    dispose('push', session, (id) => call('session.push', { session: id, choices: { pr } }));
  const update: Act<'update'> = ({ session, abort }) =>
    dispose('update', session, (id) => call('session.update', { session: id, choices: { abort } }));
  return { merge, hold, resumeSession, discard, restore, push, update };
}

/** Returns the actions that a host performs for its views, by command. */
export function viewActions(parts: ViewParts) {
  return {
    ...runActions(parts),
    ...answerActions(parts),
    ...outcomeActions(parts),
    pause: control(parts, 'run.pause'),
    stop: control(parts, 'run.stop'),
    fork: forkAction(parts),
  };
}
