import { callLogFolder } from '#io/project/call-log-folder.ts';
import path from 'node:path';
import { writeCall } from '#actors/call-log/index.ts';
import { findServerProgram } from '#io/code-analysis/server-program.ts';
import { privatePlaces } from '#io/sandbox/private-places.ts';
import { findSandboxMaker } from '#io/sandbox/probe.ts';
import { projectVariables } from '#io/user/environment-files.ts';
import { configFolder } from '#io/user/config-folder.ts';
import { environmentKeys } from '#io/keys/environment-keys.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { newId } from '#io/clock/identity.ts';
import { createProcesses } from '#io/process/process.ts';
import { redactorOf } from '#io/providers/redact.ts';
import type { GuardedBranches } from '#io/git/guard/ref-watch.ts';
import { createWorktreeGuard } from '#io/git/guard/worktree-guard.ts';
import { type EndedAgentCall, makeAgentRecord } from '#logic/calls/make-agent-record.ts';
import { sinceTotal } from '#logic/calls/since-total.ts';
import type {
  AgentCall,
  AgentCallEnd,
  AgentCalls,
  AgentService,
  AgentConversation,
  AnalysisServer,
} from '#protocol/agent.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import { accessCheck } from '#workers/index.ts';
import { projectPrices } from '../keys/project-prices.ts';
import { type KnownSecrets, secretsNamed } from '../keys/known-secrets.ts';
import { writeConversation, type StoredConversation, readConversation } from './agent-conversations.ts';

interface AgentCallsParts {
  /** The absolute path of the project. */
  readonly root: string;
  readonly calls: FileCalls;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  readonly secrets: Pick<KnownSecrets, 'all' | 'redact' | 'isIn'>;
  /** The branches that only their own sessions may move. */
  readonly branches: GuardedBranches;
}

const INTERRUPTED: AgentCallEnd = {
  outcome: 'interrupted',
  text: null,
  finish: 'interrupted',
  model: null,
  usage: null,
  costMicroUsd: null,
  exitCode: null,
  error: 'its engine was killed',
  raw: '',
  firstTextMs: null,
};

const NOT_CUMULATIVE = { cost: false, usage: false };

/** Stores the conversations and calls of agents, after removing all API keys from them. */
interface AgentRecords {
  /** Stores a conversation, so that a later call can continue it. */
  remember(talk: StoredConversation): void;
  recall(conversation: string): StoredConversation | null;
  /** Writes an ended call to the call log. */
  log(ended: EndedAgentCall): void;
}

function createAgentRecords({ root, calls, warn }: AgentCallsParts, keys: () => readonly string[]): AgentRecords {
  const talks = { calls, folder: path.join(root, '.flow'), newId: () => newId(6) };
  const logs = { calls, folder: callLogFolder(root) };
  return {
    remember: (talk) => {
      try {
        writeConversation(talks, talk, redactorOf(keys()));
      } catch (thrown) {
        warn(
          `a conversation with ${talk.agent} can't be saved, so the next call starts a new conversation: ${messageOf(thrown)}`,
        );
      }
    },
    recall: (conversation) => readConversation(talks, conversation),
    log: (ended) => {
      const trouble = writeCall(logs, makeAgentRecord(ended), redactorOf(keys()));
      if (trouble !== null) warn(trouble);
    },
  };
}

type CostOf = (call: AgentCall, ended: AgentCallEnd) => Promise<CallRecord['cost']>;

/** Creates the function that determines the cost of a call; prices are loaded when they are first needed. */
function createCosts({ root, environment }: AgentCallsParts): CostOf {
  let pricing: ReturnType<typeof projectPrices> | null = null;
  /**
   * Returns the cost that the agent reports, or else the cost by the price table. An unknown cost is null, never zero.
   */
  return async ({ provider, model }, ended) => {
    if (ended.costMicroUsd !== null) return { micro_usd: ended.costMicroUsd, source: 'agent' };
    const name = ended.model ?? model;
    if (ended.usage === null || name === null) return { micro_usd: null, source: null };
    const { prices } = await (pricing ??= projectPrices(root, environment));
    const { microUsd, source } = await prices.costOf({ provider, model: name, baseUrl: null }, ended.usage);
    return { micro_usd: microUsd, source };
  };
}

/**
 * Creates the functions that return the last state of a conversation with an agent and begin a call that continues it.
 */
function createConversations(
  { remember, recall, log }: AgentRecords,
  costOf: CostOf,
  now: () => number,
): Pick<AgentService, 'last' | 'begin'> {
  /** The engine was killed during the call, so the call's usage is unknown. */
  const afterCrash = ({ open, ...talk }: StoredConversation): AgentConversation => {
    if (talk.outcome !== null || open === undefined) return talk;
    const { call, session } = talk;
    log({ call, session, ...open, ended: INTERRUPTED, endedAt: now(), cost: { micro_usd: null, source: null } });
    const ended = { ...talk, outcome: INTERRUPTED.outcome };
    remember(ended);
    return ended;
  };

  const begin: AgentService['begin'] = (begun) => {
    const { conversation, agent, visit, seen, resumed } = begun;
    const call = newId(8);
    const startedAt = now();
    let session = resumed;
    const talk = (outcome: string | null): StoredConversation => ({
      conversation,
      agent,
      session,
      visit,
      seen,
      call,
      outcome,
      ...(totals === undefined ? {} : { totals }),
      ...(outcome === null ? { open: { begun, startedAt } } : {}),
    });
    const before = resumed === null ? null : recall(conversation);
    let totals = before?.session === resumed ? before?.totals : undefined;
    remember(talk(null));
    return {
      call,
      heard: (newSession) => {
        session = newSession;
        remember(talk(null));
      },
      end: async (ended) => {
        if (ended.outcome === 'no_conversation') session = null;
        // Nothing was sent, so the conversation stays as it was before this call.
        if (ended.outcome === 'not_started') {
          remember(before ?? talk(ended.outcome));
          return { costMicroUsd: null, usage: null };
        }
        const counted = sinceTotal(ended, ended.cumulative ?? NOT_CUMULATIVE, totals);
        totals = counted.totals;
        remember(talk(ended.outcome));
        const used: AgentCallEnd = { ...ended, ...counted.own };
        const cost = await costOf(begun, used);
        log({ call, begun, ended: used, session, startedAt, endedAt: now(), cost });
        return { costMicroUsd: cost.micro_usd, usage: used.usage };
      },
    };
  };

  return {
    last: (conversation) => {
      const talk = recall(conversation);
      return talk === null ? null : afterCrash(talk);
    },
    begin,
  };
}

/**
 * Environment variables that locate the cache of the code index. They are passed explicitly, because agents start their
 * servers without them.
 */
const CACHE_PLACE = ['XDG_CACHE_HOME', 'LOCALAPPDATA'];

/** Returns the command of the code-analysis server of a worktree, as an agent has to start it; null if there is none. */
async function analysisServer(
  worktree: string,
  environment: AgentCallsParts['environment'],
): Promise<AnalysisServer | null> {
  const program = await findServerProgram(environment);
  if (program.kind === 'none') return null;
  const place = CACHE_PLACE.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    command: program.file,
    args: [...program.args, worktree],
    env: { ...program.env, ...Object.fromEntries(place) },
  };
}

/** Creates what coding agents need from a project: the call log, their conversations, and the worktree guard. */
export function createAgentCalls(parts: AgentCallsParts): AgentCalls {
  const { root, environment, now, warn, secrets } = parts;
  // The keys are read for each use, since a host can receive new keys while it runs.
  const keys = (): readonly string[] => [
    ...new Set([...environmentKeys(environment).secrets.values(), ...secrets.all().map(({ secret }) => secret)]),
  ];
  const service: AgentService = {
    ...createConversations(createAgentRecords(parts, keys), createCosts(parts), now),
    analysisServer: (worktree) => analysisServer(worktree, environment),
    projectVariables: (folder, files, own = environment) => projectVariables(folder, files, own),
    redactor: (names, own = environment) => redactorOf([...keys(), ...secretsNamed(names, own)]),
    guard: createWorktreeGuard({
      folder: path.join(root, '.flow'),
      git: createGit(createProcesses()),
      newId: () => newId(3),
      copies: path.join(configFolder(environment), 'guards'),
      branches: parts.branches,
      redact: secrets.redact,
      allows: (access, ignoresCase, hooks) => {
        const check = accessCheck(access, 'program', ignoresCase, hooks);
        return (name) => check(name, name) === null;
      },
    }),
    probeSandbox: findSandboxMaker,
    privatePlaces: (worktree) => privatePlaces(worktree, environment),
    hasKey: secrets.isIn,
    warn,
  };
  return { service };
}
