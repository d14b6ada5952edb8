import { type SessionDiff, sessionDiff, storedSessionOf } from '#engine/index.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';
import { haltsOf } from '../names/resume-commands.ts';
import { stateWords } from '../names/state-words.ts';
import { changeSummary } from '../print/change-counts.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import { begunInSession, queueInSession, type SessionRun } from '../run/begin-in-session.ts';
import { withClient } from '../run/with-client.ts';
import { printRefusal } from '../print/refused.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { isReady } from './do-run.ts';
import { pressKey } from './press-key.ts';
import { rowText, visibleWidth } from './row-text.ts';

const WAITS = 3;
const COUNTS = { paths: [], limits: null, redact: (text: string) => text };

interface Many {
  readonly root: string;
  /** The runs to start, each in a session of its own. */
  readonly runs: readonly SessionRun[];
}

/** An attempt that has ended or waits for the person. */
interface Attempt {
  readonly session: Session;
  readonly response: Response | null;
  /** What it has changed; null if that can't be read. */
  readonly changes: SessionDiff | null;
}

const warnTo =
  (io: CliIo) =>
  (message: string): void =>
    io.stderr.write(`${harmless(message)}\n`);

function printStarted({ title, branch, state }: Session, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const isQueued = state === 'queued';
  const mark = isQueued ? paint.dim(symbols.halt) : paint.cyan(symbols.start);
  io.stderr.write(`${mark} ${paint.bold(harmless(title))}   ${paint.dim(`${branch}, ${stateWords(state)}`)}\n`);
}

async function queueAll({ runs }: Many, client: HostClient, io: CliIo): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (const run of runs) {
    const session = await queueInSession(run, client, warnTo(io), io);
    printStarted(session, io);
    sessions.push(session);
  }
  return sessions;
}

/** Starts tasks in the background, in the order given, and prints how to follow them. Returns the exit code. */
export async function startMany(many: Many, io: CliIo): Promise<number> {
  const done = await withClient(many.root, { io, warn: warnTo(io), inHost: true }, (client) =>
    queueAll(many, client, io),
  );
  if (!done.ok) return printRefusal(done.refusal, {}, io);
  printNext(['robosmith status', 'robosmith inbox', 'robosmith land --all'], io);
  return 0;
}

async function settle(queued: Session, root: string, client: HostClient): Promise<Attempt> {
  const begun = await begunInSession(queued, client);
  if (!begun.ok) return { session: begun.session, response: begun.refusal, changes: null };
  const { response } = await client.call('run.settled', { run: begun.run });
  const session = storedSessionOf(root, begun.run) ?? begun.session;
  const diff = await sessionDiff(session, root, COUNTS).catch(() => null);
  return { session, response, changes: diff?.ok === true ? diff : null };
}

/** Returns whether the attempt has changed something and waits for the decision of the person, after its check has passed. */
const isReadyToLand = ({ response, changes }: Attempt): boolean =>
  response !== null && haltsOf(response).some(isReady) && (changes === null || changes.files.length > 0);

function printAttempts(attempts: readonly Attempt[], io: CliIo): void {
  const style = styleFor(io.stderr, io);
  const { paint, symbols } = style;
  const summaries = attempts.map(({ changes }) =>
    changes === null ? 'its changes are unknown' : changeSummary(changes, style),
  );
  const width = Math.max(...summaries.map(visibleWidth));
  for (const [index, attempt] of attempts.entries()) {
    const { session, response } = attempt;
    const isGood = isReadyToLand(attempt);
    const mark = isGood ? paint.green(symbols.ok) : paint.red(symbols.bad);
    const summary = summaries[index] ?? '';
    const padding = ' '.repeat(width - visibleWidth(summary));
    const text = `  ${paint.yellow(String(index + 1))} ${mark} ${isGood ? 'ready   ' : 'not done'}   ${summary}${padding}   ${paint.dim(session.branch)}`;
    const { duration_ms: ms = null, cost = null } = response?.metadata ?? {};
    const spent = { ms, microUsd: cost === null ? null : cost * 1_000_000 };
    io.stderr.write(`${rowText(text, spent, io.stderr, paint.dim)}\n`);
  }
}

/** Waits for the runs in a host; they go on also after Ctrl-C. Returns a refusal's exit code, or the attempts. */
async function awaitAll(many: Many, io: CliIo): Promise<readonly Attempt[] | number> {
  const { root } = many;
  const done = await withClient(root, { io, warn: warnTo(io), inHost: true }, async (client) => {
    const sessions = await queueAll(many, client, io);
    io.stderr.write('They work in the background, also after Ctrl-C; robosmith inbox shows what is ready.\n\n');
    return Promise.all(sessions.map((session) => settle(session, root, client)));
  });
  if (!done.ok) return printRefusal(done.refusal, {}, io);
  printAttempts(done.value, io);
  return done.value;
}

/** Starts tasks, waits for all of them, and lands together what is ready. Returns the exit code. */
export async function startAndLand(
  many: Many,
  land: (ids: readonly SessionId[]) => Promise<number>,
  io: CliIo,
): Promise<number> {
  const attempts = await awaitAll(many, io);
  if (typeof attempts === 'number') return attempts;
  const ready = attempts.filter(isReadyToLand);
  io.stderr.write('\n');
  const code = ready.length === 0 ? WAITS : await land(ready.map(({ session }) => session.id));
  if (ready.length === attempts.length) return code;
  printNext(['robosmith inbox'], io);
  return code === 0 ? WAITS : code;
}

interface Choosing {
  /** Lands the work of a session. */
  readonly land: (id: SessionId) => Promise<number>;
}

/**
 * Lets several agents do the same task, waits for all of them, and shows what each one made. At a terminal a key lands
 * one; otherwise the commands are printed. Returns the exit code.
 */
export async function bestOf(many: Many, { land }: Choosing, io: CliIo): Promise<number> {
  const attempts = await awaitAll(many, io);
  if (typeof attempts === 'number') return attempts;
  const passed = attempts.flatMap((attempt, index) => (isReadyToLand(attempt) ? [{ attempt, number: index + 1 }] : []));
  const chosen = io.interactive ? await choose(passed, io) : null;
  if (chosen !== null) {
    const code = await land(chosen.session.id);
    printNext(
      attempts.flatMap(({ session: { id } }) => (id === chosen.session.id ? [] : [`robosmith sessions discard ${id}`])),
      io,
    );
    return code;
  }
  printNext(
    [
      ...attempts.map(({ session: { id } }) => `robosmith sessions diff ${id}`),
      ...passed.map(({ attempt }) => `robosmith sessions merge ${attempt.session.id}`),
      ...(passed.length === 0 ? ['robosmith inbox'] : []),
    ],
    io,
  );
  return WAITS;
}

async function choose(
  passed: readonly { readonly attempt: Attempt; readonly number: number }[],
  io: CliIo,
): Promise<Attempt | null> {
  if (passed.length === 0) return null;
  const { paint } = styleFor(io.stderr, io);
  const numbers = passed.map(({ number }) => String(number));
  const line = `  ${paint.yellow(numbers.join(' '))} land this one   ${paint.yellow('h')} keep all for later`;
  const key = await pressKey([...numbers, 'h'], () => io.stderr.write(`\n${line}\n`), new AbortController().signal);
  return passed.find(({ number }) => String(number) === key)?.attempt ?? null;
}
