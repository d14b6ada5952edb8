import path from 'node:path';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import { keyPlaces } from '#engine/keys/load-keys.ts';
import type { Sessions } from '#engine/sessions/open-sessions.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { NodeId, RunId, SessionId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Response } from '#protocol/response.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';
import { type Hands, rowOf, workersOf } from './session-rows.ts';

export interface SessionBench {
  readonly repository: Repository;
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly warnings: readonly string[];
  /** The states that sessions have entered, in order. */
  readonly moves: readonly SessionState[];
  /** A folder outside any repository. */
  readonly at: string;
  /**
   * The environment variables. They name a separate configuration folder, so that trust stored there has no effect
   * elsewhere.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Creates a session with a worktree in which nothing runs. */
  session(title: string): Promise<Session & { readonly worktree: string }>;
  /** Runs blocks in sequence in the session's worktree. */
  run(session: Session, hands: Hands, more?: object, options?: Pick<RunOptions, 'stepMode'>): Promise<Played>;
  get(id: SessionId): Session;
  /** Opens the sessions again, as after a crash of this engine. */
  reopened(): Promise<Sessions>;
  /** Closes the engine, so that another one may own the project. */
  close(): void;
  end(): Promise<void>;
}

interface Played {
  readonly id: RunId;
  readonly response: Response;
  readonly events: readonly RoboSmithEvent[];
}

/** Opens a real engine for a real repository. */
export async function newSessionBench(): Promise<SessionBench> {
  const repository = await newRepository();
  const { root } = repository;
  repository.put('.gitignore', '.flow/\n.vision/logs/\n');
  repository.put('.flow/flow.registry.json', '{}');
  repository.commit('Ignore');
  const warnings: string[] = [];
  const environment = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(repository.base, 'config') };
  const open = (): Engine => {
    const warn = (message: string): void => void warnings.push(message);
    const opened = openEngine(root, { warn, keys: keyPlaces(environment) });
    if (!opened.ok) throw new Error('nobody else has this engine');
    return opened.engine;
  };
  const engine = open();
  let current: Engine | null = engine;
  const moves: SessionState[] = [];
  const onMoved = ({ state }: Session): void => void moves.push(state);
  const sessions = await engine.sessions({ runStarter: null, mayStart: () => true, onMoved });
  const { manager, api } = sessions;
  return {
    repository,
    engine,
    sessions,
    warnings,
    moves,
    at: repository.base,
    environment,
    session: async (title) => {
      const order = {
        title,
        job: null,
        plan: [],
        base: null,
        attach: null,
        priority: null,
      } as const;
      const { id } = await api.create({ ...order, after: [], isDraft: false });
      await manager.idle();
      const session = manager.get(id);
      if (session.worktree === null) throw new Error(`${session.state}: ${session.why ?? ''}`);
      return { ...session, worktree: session.worktree };
    },
    run: async ({ id: session, worktree }, hands, more = {}, options = {}) => {
      const events: RoboSmithEvent[] = [];
      const run = engine.start(
        rowOf(Object.keys(hands), more),
        {
          start: { node: 'Main' as NodeId },
          session,
          workers: workersOf(hands),
          onEvent: (event) => void events.push(event),
          ...options,
        },
        worktree ?? root,
      );
      const response = await run.settled();
      return { id: run.id, response, events };
    },
    get: manager.get,
    reopened: async () => {
      engine.close();
      const next = open();
      current = next;
      return next.sessions({ runStarter: null, mayStart: () => true });
    },
    close: () => {
      current?.close();
      current = null;
    },
    end: async () => {
      current?.close();
      await repository.end();
    },
  };
}
