import { compareGraphs } from '#compiler/index.ts';
import type { CarriedRun } from '#actors/journal/index.ts';
import { readHeld } from '#io/git/outcomes/hold-session.ts';
import { EMAIL, lineOf, NAME, zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import type { SessionRefusal } from '#actors/session/index.ts';
import { escapeGlob, globsMeet, globsOf, readGlob } from '#machines/queue/glob-pattern.ts';
import type { Graph } from '#protocol/graph.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import type { ForeignSession } from '#protocol/session-api.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';
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
  const isOwn = isSealedBy(read.text, held, await sealerOf(parts));
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

/** Returns the merge base of the branch and the current checkout; null if there is none. */
async function forkPoint({ git }: SessionPlaceParts, { place, commit }: FoundHeld): Promise<string | null> {
  const base = await git(place, ['merge-base', '--end-of-options', 'HEAD', commit]);
  return base.ok ? lineOf(base) : null;
}

const OWN_NAME = `${NAME} <${EMAIL}>`;

/**
 * Returns the authors of the branch's commits. RoboSmith, which commits the session's state, is left out unless it is
 * the only author.
 */
async function authorsOf(
  { git }: SessionPlaceParts,
  { place, commit }: FoundHeld,
  base: string | null,
): Promise<readonly string[]> {
  const range = base === null ? commit : `${base}..${commit}`;
  const log = ['log', '-100', '--no-show-signature', '--format=%an <%ae>', '--end-of-options', range, '--'];
  const names = [...new Set((await git(place, log)).out.split('\n').filter((name) => name !== ''))];
  const others = names.filter((name) => name !== OWN_NAME);
  return others.length > 0 ? others : names;
}

async function changedFiles(
  { git }: SessionPlaceParts,
  { place, commit }: FoundHeld,
  base: string | null,
): Promise<readonly string[] | null> {
  if (base === null) return null;
  const diff = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '-z', base, commit];
  const changed = await git(place, [...diff, '--']);
  return changed.ok ? zeroSplit(changed.out).filter((file) => file !== STATE_FILE) : null;
}

/** Collects what a person must know before a session from elsewhere is adopted. Executes and writes nothing. */
export async function inspectHeld(branch: string, parts: SessionPlaceParts): Promise<ForeignSession | SessionRefusal> {
  const found = await findHeld(branch, parts);
  if ('ok' in found) return found;
  const { held, commit, isOwn } = found;
  const { session, run } = held;
  const base = await forkPoint(parts, found);
  const authors = await authorsOf(parts, found, base);
  const job = jobHere(held, parts.root);
  const loaded = job === null ? null : await loadManifest(job.manifest, { root: parts.root });
  const here = loaded?.compilation.workflow?.graph ?? null;
  try {
    const carried = run === null ? null : carriedGraph(run);
    const graph = carried ?? here;
    const files = await changedFiles(parts, found, base);
    const planned = session.plan.flatMap(globsOf).map((glob) => readGlob(glob, false));
    const isPlanned = (file: string): boolean =>
      planned.some((glob) => globsMeet(glob, readGlob(escapeGlob(file), false)));
    return {
      branch,
      commit,
      authors,
      title: session.title,
      isOwn,
      files,
      outside: files?.filter((file) => !isPlanned(file)) ?? [],
      steps: run?.entries.filter(({ type }) => type === 'path').length ?? 0,
      answers: answersIn(run),
      differences: carried === null ? [] : differencesOf(carried, here),
      executables: graph === null ? [] : await listExecutables(graph, parts.root),
    };
  } catch {
    return refused(`.robo/session.json on ${branch} can't be read: its run or its plan is damaged`);
  }
}
