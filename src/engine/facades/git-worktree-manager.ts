import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import type { DirectClash } from '#logic/queue/find-clashes.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type {
  DiscardChoices,
  DispositionResult,
  HoldChoices,
  MergeChoices,
  SessionOrder,
} from '#protocol/session-api.ts';
import type { Engine } from '../open/engine.ts';
import type { SessionHooks, Sessions } from '../sessions/open-sessions.ts';

/**
 * This process creates only sessions without a run, in which people work. Sessions with a run are queued for a host.
 */
const NO_RUN_STARTER: SessionHooks = { runStarter: null, mayStart: (session) => jobInTurn(session) === null };

type NewSession = Pick<SessionOrder, 'title'> & Partial<SessionOrder>;

/**
 * Creates and manages sessions in git worktrees, with the conflict scan and the queue. They are stored in
 * `.flow/sessions.json`.
 */
export class GitWorktreeManager {
  readonly #sessions: Promise<Sessions>;

  constructor(engine: Pick<Engine, 'sessions'>, means: SessionHooks = NO_RUN_STARTER) {
    this.#sessions = engine.sessions(means);
    // The error is reported by the first method that needs the sessions.
    this.#sessions.catch(() => undefined);
  }

  async list(): Promise<readonly Session[]> {
    return (await this.#sessions).manager.list();
  }

  /** Creates a session. Resolves when its worktree exists, or when it is queued. */
  async create({ title, ...more }: NewSession): Promise<Session> {
    const { api, manager } = await this.#sessions;
    const order = { job: null, plan: [], base: null, attach: null, priority: null, after: [], isDraft: false };
    const { id } = await api.create({ ...order, title, ...more });
    return manager.until(id, ({ state }) => state !== 'creating');
  }

  /** Returns pairs of sessions whose plans or changes share a file. */
  async conflicts(): Promise<readonly DirectClash[]> {
    return (await this.#sessions).manager.clashes();
  }

  async merge(session: SessionId, choices: Partial<MergeChoices> = {}): Promise<DispositionResult> {
    const { api } = await this.#sessions;
    return api.merge(session, { strategy: 'squash', message: null, verify: false, ...choices });
  }

  async discard(session: SessionId, choices: DiscardChoices = { force: false }): Promise<DispositionResult> {
    return (await this.#sessions).api.discard(session, choices);
  }

  async hold(session: SessionId, choices: HoldChoices = { release: false }): Promise<DispositionResult> {
    return (await this.#sessions).api.hold(session, choices);
  }
}
