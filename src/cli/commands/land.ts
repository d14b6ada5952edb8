import { verifyingGraph } from '#engine/authoring.ts';
import { storedSessions } from '#engine/index.ts';
import { createLandingScreen } from '../landing/landing-screen.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { LandingOrder, LandingReport } from '#protocol/landing-report.ts';
import type { Session } from '#protocol/session.ts';
import { acceptWork } from '../do/accept-work.ts';
import { landingNext, planLines, reportLines } from '../print/landing.ts';
import { fromHere } from '../names/command-from-here.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { projectEnvironment } from '../run/project-environment.ts';
import { withClient } from '../run/with-client.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { askVerifying, trustTearDown } from '../trust/ask-trust.ts';

export interface LandOptions {
  readonly all?: true;
  readonly plan?: true;
  readonly undo?: true;
  readonly maxRuns?: string;
  readonly trust?: true;
  readonly json?: true;
}

const HELP = ['robosmith land --help'];

const DEFAULT_RUNS = 20;
const STREAM = 1;
const INTERRUPTED = 130;

function checkOptions(names: readonly string[], { all, plan, undo, maxRuns, trust }: LandOptions): void {
  if (all === true && names.length > 0) throw usageError('Give names or --all, not both.', HELP);
  if (undo === true && (all ?? plan ?? trust ?? maxRuns) !== undefined)
    throw usageError('--undo takes no other option than --json.', HELP);
  if (undo === true && names.length > 0) throw usageError('--undo takes no names: it undoes the last landing.', HELP);
  if (plan === true && all !== true && names.length === 0)
    throw usageError('--plan needs the names of what to land, or --all.', ['robosmith land --plan --all']);
  if (plan === true && maxRuns !== undefined)
    throw usageError('--plan runs no tests, so it goes without --max-runs.', HELP);
  if (maxRuns !== undefined && !/^[1-9]\d{0,3}$/.test(maxRuns))
    throw usageError(`--max-runs ${maxRuns}: give a whole number from 1 to 9999`, HELP);
}

/** Asks whether the commands that test merged files are trusted. Throws a usage error if they are not. */
async function trustedTests(root: string, given: boolean, isNeeded: boolean, io: CliIo): Promise<void> {
  const graph = isNeeded ? await verifyingGraph({ job: null, resolving: null }, root) : null;
  if (graph === null) return;
  if (given) await trustTearDown(graph, root, io);
  if (await askVerifying(graph, root, { given, isAsked: true }, io)) return;
  throw usageError('The commands that test the merged files are not trusted yet; nothing was changed.', [
    'robosmith registry check --trust',
  ]);
}

/** Lands branches on their base, shows what that would do, or undoes the last landing. */
export function land(names: readonly string[], options: LandOptions, io: CliIo): Promise<number> {
  checkOptions(names, options);
  return inProject(options, io, async (root) => {
    await trustedTests(root, options.trust === true, options.undo !== true, io);
    const order: LandingOrder = {
      names,
      all: options.all === true,
      maxRuns: Number(options.maxRuns ?? DEFAULT_RUNS),
      environment: await projectEnvironment(root, io),
    };
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const work = options.undo === true ? undo : options.plan === true ? plan : start;
    const done = await withClient(root, { io, warn }, async (client) => {
      if (work === start) await acceptNamed(names, client, root);
      return work(client, order, options, io);
    });
    return done.ok ? done.value : printRefusal(done.refusal, options, io);
  });
}

/** Accepts the work of named tasks of `robosmith do` that waits for a person, who decides by landing it. */
async function acceptNamed(names: readonly string[], client: HostClient, root: string): Promise<void> {
  const isNamed = ({ id, title, branch }: Session): boolean => [id, title, branch].some((name) => names.includes(name));
  for (const session of storedSessions(root).filter(isNamed)) await acceptWork(session, client, root);
}

type Work = (client: HostClient, order: LandingOrder, options: LandOptions, io: CliIo) => Promise<number>;

const plan: Work = async (client, order, options, io) => {
  const found = await client.call('land.plan', order);
  if (options.json === true) printJson({ ok: true, ...found }, io.stdout);
  else io.stdout.write(`${planLines(found, order, screenOf(io)).join('\n')}\n`);
  return 0;
};

const undo: Work = async (client, _order, options, io) => {
  const undone = await client.call('land.undo', {});
  if (options.json === true) {
    printJson({ ok: true, ...undone }, io.stdout);
    return 0;
  }
  const { paint, symbols, arrow } = screenOf(io);
  const { base, from, to, notes } = undone;
  const moved = from === to ? 'was not moved' : `${from.slice(0, 7)} ${arrow} ${to.slice(0, 7)}`;
  io.stdout.write(`${paint.green(symbols.ok)} undone  ${paint.bold(`${harmless(base)} ${moved}`)}\n`);
  for (const note of notes) io.stdout.write(`  ${paint.dim(harmless(note))}\n`);
  return 0;
};

const start: Work = async (client, order, options, io) => {
  const screen = createLandingScreen(options.json !== true, io);
  const stopListening = client.on('land.news', ({ stream, news }) => {
    if (stream === STREAM) screen.hear(news);
  });
  const release = io.onInterrupt(() => void client.call('land.stop', { stream: STREAM }).catch(() => undefined));
  let report: LandingReport;
  try {
    report = await client.call('land.start', { ...order, stream: STREAM });
  } finally {
    release();
    stopListening();
    screen.end();
  }
  const next = landingNext(report).map(([command]) => fromHere(command, io));
  if (options.json === true) printJson({ ok: true, ...report, next }, io.stdout);
  else io.stdout.write(`${reportLines(report, screenOf(io)).join('\n')}\n`);
  if (report.is_stopped) return INTERRUPTED;
  return isWell(report) ? 0 : 1;
};

/** Returns whether everything that took part has landed. */
const isWell = ({ back, is_stopped: isStopped }: LandingReport): boolean => back.length === 0 && !isStopped;

const screenOf = (io: CliIo) => {
  const style = styleFor(io.stdout, io);
  const width = io.stdout.isTerminal ? Math.min(io.stdout.columns(), 120) : 80;
  return { ...style, arrow: style.symbols.arrow, width };
};
