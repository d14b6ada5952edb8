import type { AnyActorRef } from 'xstate';
import { createInspector } from '#actors/inspector/index.ts';
import { createProcessRegister } from '#actors/process-register/index.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { GuardedBranches } from '#io/git/guard/ref-watch.ts';
import { liveness } from '#io/process/process-identity.ts';
import type { AgentCalls } from '#protocol/agent.ts';
import type { Environment } from '#protocol/environment.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RunPorts } from '#protocol/run.ts';
import { createAgentCalls } from '../ai/agent-calls.ts';
import { createModelCalls } from '../ai/model-calls.ts';
import { createProjectContext } from '../code-analysis/project-context.ts';
import { createKnownSecrets } from '../keys/known-secrets.ts';
import type { KeyPlaces } from '../keys/load-keys.ts';
import { realPorts } from '../run/ports.ts';
import { taskPlace, taskTitle } from '../plan/task-place.ts';
import type { OpenEngineOptions } from './engine.ts';
import { redactorOfTurn } from './redactor-of-turn.ts';

interface EngineServicesParts {
  readonly root: string;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly calls: FileCalls;
  /** File calls for data that the next owner treats as left by a dead process, so that late writes do no harm. */
  readonly unfenced: FileCalls;
  readonly keys: KeyPlaces;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  readonly onPrompt: OpenEngineOptions['onPrompt'];
  readonly onAnswer: OpenEngineOptions['onAnswer'];
  /** The branches that only their own sessions may move. */
  readonly branches: GuardedBranches;
}

export type EngineServices = ReturnType<typeof createEngineServices>;

/** Returns the agents for a run with an environment of its own. */
const agentsWith = (agents: AgentCalls, environment: Environment): AgentCalls => ({
  ...agents,
  service: {
    ...agents.service,
    redactor: (names) => agents.service.redactor(names, environment),
    projectVariables: (folder, files) => agents.service.projectVariables(folder, files, environment),
  },
});

/**
 * Creates the services that the runs and sessions of an engine use: models, agents, code analysis servers and
 * processes. Known secrets are removed from their texts, and an inspector observes them.
 */
export function createEngineServices(parts: EngineServicesParts) {
  const { root, folder, calls, unfenced, now, warn, onPrompt, onAnswer, keys, branches } = parts;
  const { environment } = keys;
  const secrets = createKnownSecrets(environment);
  const shown = redactorOfTurn(secrets.redactor, nextTurn);
  const inspector = createInspector({ now, redact: shown.redact, warn });
  const observe = (name: string, actor: object): void => inspector.watch(name, actor as AnyActorRef);
  const agents = createAgentCalls({ root, calls, environment, now, warn, secrets, branches });
  const models = createModelCalls({
    root,
    calls: unfenced,
    places: keys,
    now,
    warn,
    onPrompt,
    onAnswer,
    secrets,
    onKeys: inspector.changed,
  });
  const register = createProcessRegister({
    calls: unfenced,
    folder,
    identify: liveness.identify,
    self: () => liveness.self,
    warn,
  });
  const context = createProjectContext({ root, folder, register, now, environment, observe });
  return {
    secrets,
    inspector,
    observe,
    models,
    register,
    context,
    /** Reloads the API keys after a person has changed them. */
    keysChanged: (): void => {
      shown.renew();
      models.keysChanged();
    },
    /** The environment of this process. */
    environment,
    /** Returns the ports of a run in an absolute directory, with the environment of the run. */
    portsIn: (directory: string, onExecution: NonNullable<RunPorts['onExecution']>, own: Environment): RunPorts => ({
      ...realPorts(directory, register, models, agentsWith(agents, own), root, secrets.redactOutputIn(own), own),
      onExecution,
      context: context.queries,
      taskTitle: (key) => taskTitle(taskPlace(folder, calls), key),
      observe,
    }),
    /** Begins to close the servers and connections, without waiting until they are closed. */
    close: (): void => {
      context.servers
        .close()
        .catch((thrown: unknown) => warn(`a code analysis server can't be ended: ${messageOf(thrown)}`));
      models
        .close()
        .catch((thrown: unknown) => warn(`the connections to models can't be closed: ${messageOf(thrown)}`));
    },
  };
}
