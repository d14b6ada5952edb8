import { compareGraphs } from '#compiler/index.ts';
import type { CarriedRun } from '#actors/journal/index.ts';
import { readHeld } from '#io/git/outcomes/hold-session.ts';
import type { SessionRefusal } from '#actors/session/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { ForeignSession } from '#protocol/session-api.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';
import { inspectCommit } from '../../trust/foreign-commit.ts';
import { listExecutables } from '../../trust/list-executables.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { answersIn, sealerOf } from './held-origin.ts';
import { type HeldSession, isSealedBy, jobHere, readHeldText } from './held-state.ts';
import { repositoryOf } from './merge-work.ts';

interface FoundHeld {
  readonly held: HeldSession;
  readonly commit: string;
  /** True if this clone has written it. */
  readonly isOwn: boolean;
  /** The folder in which git runs. */
  readonly place: string;
}

const refused = (why: string): SessionRefusal => ({ ok: false, why });

/** Reads the session that a branch of this repository or of a remote holds. */
export async function findHeld(branch: string, parts: SessionPlaceParts): Promise<FoundHeld | SessionRefusal> {
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const read = await readHeld(parts.git, found.place, branch);
  if (read.kind === 'refused') return refused(read.message);
  if (read.kind === 'none') return refused(`${branch} contains no session; robosmith sessions hold creates one`);
  const held = readHeldText(read.text);
  if (typeof held === 'string') return refused(`.robo/session.json on ${branch} can't be read: ${held}`);
  const isOwn = isSealedBy(read.text, held, await sealerOf(parts, read.commit));
  return { held, commit: read.commit, isOwn, place: found.place };
}

/** Returns the manifest of a carried run as its writer stored it. It was not checked by a compiler here. */
function carriedGraph({ entries, blobs }: CarriedRun): Graph | null {
  const last = entries.findLast((one) => one.type === 'run' || one.type === 'manifest');
  const text = last !== undefined && 'manifest' in last ? blobs[last.manifest.blob] : undefined;
  const stored = text === undefined ? null : parseJsonObject(text);
  const graph: unknown = stored?.['graph'];
  return typeof graph === 'object' && graph !== null ? (graph as Graph) : null;
}

/** Lists the blocks and workers in which the manifest differs from the project's. */
function differencesOf(carried: Graph, here: Graph | null): readonly string[] {
  if (here === null) return ['the whole manifest, because this project has none'];
  return [...new Set(compareGraphs(here, carried).map(({ change, subject, id }) => `${subject} ${id} is ${change}`))];
}

/** Collects what a person must know before a session from elsewhere is adopted. Executes and writes nothing. */
export async function inspectHeld(branch: string, parts: SessionPlaceParts): Promise<ForeignSession | SessionRefusal> {
  const found = await findHeld(branch, parts);
  if ('ok' in found) return found;
  const { held, commit, isOwn } = found;
  const { session, run } = held;
  const job = jobHere(held, parts.root);
  const loaded = job === null ? null : await loadManifest(job.manifest, { root: parts.root });
  const here = loaded?.compilation.workflow?.graph ?? null;
  try {
    const carried = run === null ? null : carriedGraph(run);
    const graph = carried ?? here;
    const executables = graph === null ? [] : await listExecutables(graph, parts.root);
    return {
      ...(await inspectCommit(parts.git, found.place, { branch, commit }, executables)),
      title: session.title,
      isOwn,
      steps: run?.entries.filter(({ type }) => type === 'path').length ?? 0,
      answers: answersIn(run),
      differences: carried === null ? [] : differencesOf(carried, here),
    };
  } catch {
    return refused(`.robo/session.json on ${branch} can't be read: its run is damaged`);
  }
}
