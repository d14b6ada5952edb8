import { stat } from 'node:fs/promises';
import { changedVariables, refusalResponse, runEnvironment } from '#engine/authoring.ts';
import { checkMayResume, type RunDetails } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { Response } from '#protocol/response.ts';
import type { Script } from '#protocol/script.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { shownFrom } from '../names/stored-source.ts';
import type { StartedRun, OutputFlags, Reporter } from '../print/reporter.ts';
import { isScriptedIn } from '../print/scripted-blocks.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { confirmDirectory } from '../trust/confirm-directory.ts';
import { ioError } from '../terminal/usage-error.ts';
import type { AskPerson, GivenAnswer } from '../names/person.ts';
import { askerFor } from './asker.ts';
import { followInHost } from './follow-in-host.ts';
import { followRunToEnd, type RunToFollow } from './follow-run.ts';
import { driftMessage, manifestToday } from './drift.ts';
import { type StoredRunCommands, storedRunCommands } from '../names/stored-run-commands.ts';
import { refuseMigration } from './migrate.ts';
import { printSessionOf } from './print-session.ts';
import { registryFault, workersFor } from './workers-for.ts';

export interface ResumeParts {
  readonly root: string;
  readonly details: RunDetails;
  readonly given: readonly GivenAnswer[];
  /** Set to execute the failed block again. The failed execution is then not counted. */
  readonly retry: { readonly guidance: string | undefined } | null;
  /** Whether the run follows the project's current manifest from now on. */
  readonly migrate: boolean;
  readonly trust: boolean;
  /** The same command with `--trust` added, for the message. */
  readonly trusting: string;
  /** Asks the person; by default with the questions for any workflow. Null: nobody can be asked. */
  readonly ask?: AskPerson | null;
  /** A client of the engine; otherwise the engine is reached, or served in this process. */
  readonly client?: HostClient;
}

interface ManifestInForce {
  readonly workflow: CompiledWorkflow;
  readonly scripts: ReadonlyMap<string, Script>;
}

/** Resumes a run from its journal, with its own manifest and directory, and with the trust of the current user. */
export async function resumeRun(
  parts: ResumeParts,
  reporter: Reporter,
  options: OutputFlags,
  io: CliIo,
): Promise<Response> {
  const { root, details, given, retry } = parts;
  const { run } = details.listing;
  checkMayResume(root, run);
  const { source } = details.header.started;
  const kept = storedRunCommands(run, null, io);
  const directory = await directoryOf(details, kept, io);
  const other = await otherManifest(parts, kept, reporter, io);
  if ('reason' in other) return other;
  const graph = other.followed?.workflow.graph ?? details.graph;
  const fault = await registryFault(root);
  if (fault !== null) return refusalResponse('registry_error', fault, source);
  const approved = await askTrust(graph, root, parts.trust, io);
  if (approved === null || !(await confirmDirectory(directory, root, parts.trust, io))) {
    const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
    return refusalResponse('not_trusted', { message, next: [parts.trusting] }, source);
  }
  const environment = runEnvironment(graph, io.env);
  const changed = changedVariables(details.environment, environment);
  if (changed.length > 0)
    reporter.note(`Environment variables that differ from the last start of ${run}: ${changed.join(', ')}.`);
  const registry = await workersFor(graph, root, approved, environment);
  if ('refused' in registry) return refusalResponse('registry_error', registry.refused, source);
  const toFollow: RunToFollow = {
    isOfSession: details.header.started.session !== undefined,
    root,
    elsewhere: false,
    graph,
    begin: async (host) => {
      const { graphHash } = await import('#host/client/index.ts');
      return host.call('run.resume', {
        run,
        retry: retry !== null,
        guidance: retry?.guidance ?? null,
        manifest: other.followed === null ? null : graphHash(graph),
        environment,
      });
    },
    beginning: () => beginning(details, graph, directory, kept, root, io),
    given,
  };
  const audience = {
    reporter,
    ask: parts.ask === undefined ? askerFor(graph, root, reporter, options, io) : parts.ask,
    io,
  };
  const { client } = parts;
  const response = await (client === undefined
    ? followRunToEnd(toFollow, audience)
    : followInHost(client, toFollow, audience));
  if (response.success) await printSessionOf(run, root, audience);
  return response;
}

async function directoryOf({ directory, header }: RunDetails, kept: StoredRunCommands, io: CliIo): Promise<string> {
  const next = [kept.command('runs show')];
  if (directory === null) throw ioError(`${kept.run} has no directory to work in.`, next);
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() === true) return directory;
  const gone = `${shownPath(directory, io)}, the directory of ${kept.run}, no longer exists.`;
  const { session } = header.started;
  if (session === undefined) throw ioError(`${gone} Restore it first.`, next);
  throw ioError(`${gone} Restore it first, or resume the session, which creates it again from its branch.`, [
    `robosmith sessions resume ${session}`,
    ...next,
  ]);
}

/**
 * Returns the current manifest if the run is to follow it. Otherwise only warns if it differs from the run's manifest.
 */
async function otherManifest(
  { root, details, migrate }: ResumeParts,
  kept: StoredRunCommands,
  reporter: Reporter,
  io: CliIo,
): Promise<{ readonly followed: ManifestInForce | null } | Response> {
  const { source } = details.header.started;
  const today = await manifestToday(root, source, io);
  if (!migrate) {
    const drift = today === null ? null : driftMessage(today, details.graph, kept);
    if (drift !== null) reporter.warn(drift);
    return { followed: null };
  }
  if (today === null)
    throw ioError(`${source ?? 'The manifest'} cannot be read.`, [kept.command('resume'), 'robosmith doctor']);
  const workflow = runnable(today);
  if (workflow === null) {
    printInvalid(today, io);
    return refusalResponse('invalid_graph', { diagnostics: today.findings }, source);
  }
  return (await refuseMigration(root, details, workflow, kept)) ?? { followed: { workflow, scripts: today.scripts } };
}

function beginning(
  { header, listing, path }: RunDetails,
  graph: RunDetails['graph'],
  directory: string,
  kept: StoredRunCommands,
  root: string,
  io: CliIo,
): StartedRun {
  const { started, forkedFrom } = header;
  const { steps } = listing.summary;
  const isNew = forkedFrom !== null && listing.summary.openings === 0;
  return {
    graph,
    start: started.start,
    notes: [
      kept.run,
      isNew ? `forked from ${forkedFrom.run}@${forkedFrom.step}` : 'resumed',
      ...(path.length === 0 ? [] : [`after ${steps} ${steps === 1 ? 'step' : 'steps'}`]),
      `in ${shownPath(directory, io)}`,
    ],
    isScripted: isScriptedIn(graph, new Set(Object.keys(started.script?.answers ?? {}))),
    shownFile: shownFrom(root, started.source, io),
    kept,
  };
}
