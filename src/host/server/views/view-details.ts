import { isDeepStrictEqual } from 'node:util';
import {
  blockContext,
  blockFacts,
  callText,
  conversationOf,
  fileDifference,
  pastOf,
  readRunPicture,
  runDetails,
  storedSessions,
  turnText,
  visitDifference,
} from '#engine/index.ts';
import type { ChangedFile, Turn, ViewBlock, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { OneView } from './one-view.ts';
import { haltText, shownGraph } from './run-view-state.ts';
import type { ViewParts } from './view-parts.ts';

type PayloadOf<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

const isRun = (run: string | null): run is RunId => run !== null && /^r[0-9a-f]{1,32}$/.test(run);

function graphOf({ root }: ViewParts, view: OneView, run: RunId): Graph | null {
  const live = view.live();
  return live?.run === run ? live.graph : (runDetails(root, run)?.graph ?? null);
}

const shownBlock = (graph: Graph, block: string): ViewBlock | undefined =>
  shownGraph(graph)
    .nodes.flatMap(({ blocks }) => blocks)
    .find(({ id }) => id === block);

const NO_FACTS = {
  visit: null,
  model: null,
  key: null,
  keyNote: null,
  spending: null,
  layers: [],
  answer: null,
  streaming: false,
  failure: null,
  attempts: [],
  files: [],
} as const;

/**
 * Sends the facts of a visit at once with its changed files as far as they are known, and again once git has read them,
 * if they are others.
 */
export async function sendBlock(
  { run, block, visit: wanted }: PayloadOf<'requestBlock'>,
  view: OneView,
  parts: ViewParts,
): Promise<void> {
  const { root, visitFiles } = parts;
  const isNewest = view.begin();
  const live = view.live();
  if (!isRun(run) || live?.run !== run) return view.send('block', { run, block, ...NO_FACTS });
  const facts = blockFacts(root, run, live.graph, live.picture, block, wanted);
  if (facts.visit === null) return view.send('block', facts);
  const visit = { run, block, visit: facts.visit };
  const send = (files: readonly ChangedFile[]): void => {
    const written = writtenIn(visit, view, parts);
    const answer = written === null ? {} : { answer: { text: written.text, more: null }, streaming: true };
    view.send('block', { ...facts, ...answer, files: [...files] });
  };
  const known = visitFiles.known(visit);
  send(known);
  const files = await visitFiles.read(visit);
  if (isNewest() && !isDeepStrictEqual(files, known)) send(files);
}

/** Returns the answer that a model is writing in the newest visit of a block; null if none is, or for another visit. */
function writtenIn({ run, block, visit }: PayloadOf<'requestBlock'>, view: OneView, { streams }: ViewParts) {
  const live = view.live();
  const state = live?.run === run ? live.picture.blocks.get(block) : undefined;
  if (live === null || state?.status !== 'active' || (visit !== null && visit !== state.visits)) return null;
  const written = streams.text({ run: live.run, block, visit: state.visits });
  return written === null ? null : { ...written, visit: state.visits };
}

export function sendConversation(
  { run, block, visit }: PayloadOf<'requestConversation'>,
  view: OneView,
  parts: ViewParts,
): void {
  const graph = isRun(run) ? graphOf(parts, view, run) : null;
  if (!isRun(run) || graph === null) return view.send('conversation', { run, block, visit, turns: [], earlier: 0 });
  const shown = shownBlock(graph, block);
  const kind = shown?.kind ?? null;
  const conversation = conversationOf({ root: parts.root, run, graph, block, visit, kind });
  const written = writtenIn({ run, block, visit }, view, parts);
  if (written === null) return view.send('conversation', conversation);
  const turn: Turn = {
    id: `writing ${written.visit}.${written.attempt}`,
    role: 'assistant',
    kind,
    name: shown?.worker ?? '',
    visit: written.visit,
    attempt: written.attempt,
    durationMs: null,
    tokens: null,
    text: { text: written.text, more: null },
    streaming: true,
    links: [],
  };
  view.send('conversation', { ...conversation, turns: [...conversation.turns, turn] });
}

export function sendContext({ run, block, visit }: PayloadOf<'requestContext'>, view: OneView, parts: ViewParts): void {
  const graph = isRun(run) ? graphOf(parts, view, run) : null;
  if (!isRun(run) || graph === null) return view.send('context', { run, block, visit, layers: [] });
  view.send('context', blockContext(parts.root, run, graph, block, visit));
}

export function sendPast({ run, step }: PayloadOf<'requestPast'>, view: OneView, parts: ViewParts): void {
  const past = isRun(run) ? readRunPicture(parts.root, run, step) : null;
  if (past === null) return;
  view.send('past', pastOf(past.picture, step, view.live()?.budgetMicroUsd ?? null));
}

/** Returns the full text of a shortened text that was sent to the view before, by its name; null if it isn't found. */
function textNamed(name: string, view: OneView, parts: ViewParts): string | null {
  const [kind, first, second, third] = JSON.parse(name) as readonly unknown[];
  if (kind === 'call' && typeof first === 'string' && typeof second === 'number')
    return callText(parts.root, first, second);
  if (typeof first !== 'string' || !isRun(first) || typeof second !== 'string') return null;
  if (kind === 'halt') {
    const live = view.live();
    return live === null ? null : haltText(live, second, parts.root);
  }
  const graph = graphOf(parts, view, first);
  return graph === null || typeof third !== 'string' ? null : turnText(parts.root, first, graph, second, third);
}

export function sendText({ id }: PayloadOf<'requestText'>, view: OneView, parts: ViewParts): void {
  const text = textNamed(id, view, parts);
  if (text !== null) view.send('text', { id, text });
}

export function sendLayout({ graph }: PayloadOf<'requestLayout'>, view: OneView, parts: ViewParts): void {
  const known = parts.layouts.byHash(graph);
  if (known !== null) return view.send('layout', known);
  const shown = view.graph();
  if (shown?.hash === graph) parts.layouts.find(shown);
}

/** Sends the diff of a file in a session. Rejects if the session has not changed the file. */
export async function sendDiff(
  { session: id, path }: PayloadOf<'openDiff'>,
  view: OneView,
  { root }: ViewParts,
): Promise<null> {
  const session = storedSessions(root).find((one) => one.id === id);
  const found = session === undefined ? null : await fileDifference(session, root, path);
  if (found === null)
    throw new RoboSmithError('refused', `The session has not changed ${path}.`, {
      next: [`robosmith sessions show ${id}`],
    });
  view.send('diff', { session: id, ...found });
  return null;
}

/** Sends the diff of a file that a visit changed. Rejects if the visit has not changed the file. */
export async function sendVisitDiff(
  { session: id, run, block, visit, path }: PayloadOf<'openChanges'> & { readonly path: string },
  view: OneView,
  { root }: ViewParts,
): Promise<null> {
  const session = storedSessions(root).find((one) => one.id === id);
  const found =
    session === undefined || !isRun(run) ? null : await visitDifference(session, root, { run, block, visit }, path);
  if (found === null)
    throw new RoboSmithError('refused', `This visit of ${block} has not changed ${path}.`, {
      next: [`robosmith sessions show ${id}`],
    });
  view.send('diff', { session: id, ...found });
  return null;
}
