import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keyPlaces, loadManifest } from '#engine/authoring.ts';
import { type Engine, openEngine } from '#engine/index.ts';
import type { ResumeChoices } from '#engine/durable/resume-run.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { Halt, Response } from '#protocol/response.ts';
import type { Run, RunOptions } from '#protocol/run.ts';
import { type Fault, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';
import { row } from '../../../unit/engine/small-workflow.ts';

export const SECRET = 'sk-test-0123456789abcdef';

/** `Main` calls a model twice, in `A` and `B`, and calls `Sub`, which calls it once. */
const nodes = {
  Main: {
    entry_block: 'A',
    blocks: {
      A: { worker: 'Worker:M', transitions: [row('SUCCESS', 'JUMP:B'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
      B: { worker: 'Worker:M', transitions: [row('SUCCESS', 'CALL:Sub'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
    },
  },
  Sub: {
    entry_block: 'C',
    blocks: {
      C: { worker: 'Worker:M', transitions: [row('SUCCESS', 'RETURN'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
    },
  },
};

export interface ModelProject {
  readonly root: string;
  readonly config: string;
  readonly server: FaultServer;
  readonly warnings: readonly string[];
  readonly events: readonly RoboSmithEvent[];
  /** Runs `Main` in a new engine. */
  run(more?: object, options?: Partial<RunOptions>, drive?: (run: Run) => void): Promise<Response>;
  /** Resumes the run in a new engine. */
  resume(run: string, drive?: (run: Run) => void, choices?: ResumeChoices): Promise<Response>;
  withEngine<Value>(work: (engine: Engine) => Value | Promise<Value>): Promise<Value>;
  contents(): readonly string[];
  remove(): Promise<void>;
}

const driven = (run: Run, drive: (run: Run) => void): Promise<Response> => {
  drive(run);
  return run.settled();
};

function* contentsBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) yield* contentsBelow(file);
    else yield readFileSync(file, 'latin1');
  }
}

/** Creates a project whose model is a local server. Each run gets its own engine, as if it were in its own process. */
export async function projectWithModels(
  fault: Fault | ((server: FaultServer) => string) = 'none',
): Promise<ModelProject> {
  const base = mkdtempSync(path.join(tmpdir(), 'robosmith-models-'));
  const [root, config] = [path.join(base, 'project'), path.join(base, 'config')];
  mkdirSync(path.join(root, '.vision'), { recursive: true });
  mkdirSync(config);
  const server = await startFaultServer();
  const url = typeof fault === 'string' ? server.url(fault) : fault(server);
  const warnings: string[] = [];
  const events: RoboSmithEvent[] = [];
  const environment = {
    ROBOSMITH_CONFIG_DIR: config,
    ROBOSMITH_KEY_LOCAL: SECRET,
    ROBOSMITH_URL_LOCAL: url,
    ROBOSMITH_KEY_SPARE: `${SECRET}-2`,
    ROBOSMITH_URL_SPARE: url,
  };
  const worker = { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url };

  const withEngine: ModelProject['withEngine'] = async (work) => {
    const keys = keyPlaces(environment, memoryKeychain());
    const opened = openEngine(root, { warn: (message) => warnings.push(message), keys });
    if (!opened.ok) throw new Error('somebody else has the engine');
    try {
      return await work(opened.engine);
    } finally {
      opened.engine.close();
    }
  };

  const compiled = async (more: object) => {
    const file = path.join(root, '.vision', 'workflows.json');
    writeFileSync(file, JSON.stringify({ version: 1, entry: 'Main', workers: { 'Worker:M': worker }, nodes, ...more }));
    const loaded = await loadManifest(file);
    const workflow = loaded?.compilation.workflow ?? null;
    if (workflow === null) throw new Error('the manifest has errors');
    return workflow;
  };

  return {
    root,
    config,
    server,
    warnings,
    events,
    withEngine,
    run: async (more = {}, options = {}, drive = () => undefined) => {
      const workflow = await compiled(more);
      const start = { node: workflow.graph.nodes[0]!.id };
      return withEngine((engine) => {
        const onEvent = (event: RoboSmithEvent): void => void events.push(event);
        return driven(engine.start(workflow, { start, onEvent, ...options }, root), drive);
      });
    },
    resume: (run, drive = () => undefined, choices = {}) =>
      withEngine((engine) => driven(engine.resume(run as RunId, root, {}, choices), drive)),
    contents: () => [...contentsBelow(base)],
    remove: async () => {
      await server.close();
      rmSync(base, { recursive: true, maxRetries: 5 });
    },
  };
}

export const haltsOf = ({ details }: Response): readonly Halt[] => details['halts'] ?? [];
