import path from 'node:path';
import { findRoot } from '#engine/authoring.ts';
import { createHostLink, type HostLink } from '#host/client/index.ts';
import { createInspectionRelay, followInspection, type InspectionRelay } from '#host/inspector/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';
import { messageOf } from '#protocol/message-of.ts';
import { EXIT_CODE } from '#protocol/response.ts';
import { hostedPage, hostedPolicy } from '../inspector/hosted-page.ts';
import { createRecording, readRecording, type Recording } from '../inspector/recording.ts';
import { printJson } from '../print/json.ts';
import { printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';
import { connectForPage, findViews, openPage, portOf, untilInterrupted } from '../ui/served-page.ts';
import { type ServedUi, serveUi } from '../ui/serve-ui.ts';
import { actorsPage } from '../ui/ui-page.ts';

export interface InspectOptions {
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly port?: string;
  readonly record?: string;
  readonly hosted?: true;
  /** True to inspect only other programs, without a project. */
  readonly programs?: true;
  readonly json?: true;
}

/** Shows live or recorded actors in a browser until Ctrl-C. */
export async function inspect(file: string | undefined, options: InspectOptions, io: CliIo): Promise<number> {
  const port = portOf(options.port, 'inspect');
  if (file !== undefined && (options.record !== undefined || options.programs === true))
    throw usageError('A recording is shown as it is: --record and --programs need live actors.', [
      `robosmith inspect ${path.basename(file)}`,
    ]);
  const isLive = file === undefined && options.programs !== true;
  const found = isLive ? await findRoot(io.cwd) : null;
  if (found !== null && 'reason' in found) {
    const problem = { code: found.reason, message: `${found.message}.`, next: ['robosmith inspect --programs'] };
    return printRefused(problem, EXIT_CODE[found.reason], options, io);
  }
  const recording = options.record === undefined ? null : record(path.resolve(io.cwd, options.record));
  const log = (message: string): void => io.stderr.write(harmless(`${message}\n`));
  const relay = createInspectionRelay({ now: () => Date.now(), log, onEvent: recorder(recording, log) });
  try {
    if (file !== undefined) await replay(path.resolve(io.cwd, file), relay, log);
    return await show(options, { root: found?.root ?? null, file, port, relay, log }, io);
  } finally {
    recording?.close();
  }
}

const HELP = ['robosmith inspect --help'];

/** Describes why a file can't be read. The system's own messages contain the absolute path. */
function whyUnread(thrown: unknown): string {
  const code = systemCode(thrown);
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'unknown error' ? messageOf(thrown) : code;
}

function record(file: string): Recording {
  try {
    return createRecording(file);
  } catch (thrown) {
    throw new RoboSmithError('io', `The recording can't be written: ${messageOf(thrown)}.`, {
      next: ['robosmith inspect --help'],
    });
  }
}

/** Returns a function that records events. If the disk is full, the recording ends and the inspection continues. */
function recorder(recording: Recording | null, log: (message: string) => void): (event: InspectionEvent) => void {
  let isBroken = recording === null;
  return (event) => {
    if (isBroken) return;
    try {
      recording?.write(event);
    } catch (thrown) {
      isBroken = true;
      log(`The recording has ended: ${messageOf(thrown)}.`);
    }
  };
}

async function replay(file: string, relay: InspectionRelay, log: (message: string) => void): Promise<void> {
  const source = relay.open();
  const read = await readRecording(file, source.take).catch((thrown: unknown) => {
    throw ioError(`The recording ${path.basename(file)} can't be read: ${whyUnread(thrown)}.`, HELP, thrown);
  });
  if (read.events === 0)
    throw new RoboSmithError('io', `${path.basename(file)} contains no inspection events.`, {
      next: ['robosmith inspect --record <file>'],
    });
  if (read.ignored > 0) log(`${read.ignored} lines of the recording are not inspection events and were skipped.`);
}

interface Shown {
  /** The project's folder; null if no project is inspected. */
  readonly root: string | null;
  readonly file: string | undefined;
  readonly port: number;
  readonly relay: InspectionRelay;
  readonly log: (message: string) => void;
}

const serve = (options: InspectOptions, { root, file, port, relay }: Shown): Promise<ServedUi> => {
  const views = findViews();
  if (views === null) throw new RoboSmithError('io', 'The views are not built.', { next: ['npm run build'] });
  const subject = file === undefined ? (root === null ? 'XState programs' : path.basename(root)) : path.basename(file);
  return serveUi({
    views,
    port,
    attend: relay.attendPage,
    ...(file === undefined ? { attendProgram: relay.attendProgram } : {}),
    ...(options.hosted === true
      ? { page: hostedPage, policy: hostedPolicy }
      : { page: (nonce: string) => actorsPage(subject, nonce) }),
  });
};

async function show(options: InspectOptions, shown: Shown, io: CliIo): Promise<number> {
  const { root, relay, log } = shown;
  const served = await serve(options, shown);
  let link: HostLink | null = null;
  if (root !== null) {
    link = createHostLink({ connect: () => connectForPage(root, io), now: () => Date.now() });
    followInspection({ link, open: relay.open, log: once(log) });
  }
  announce(served, options, io);
  if (options.open) await openPage(served.address, io);
  await untilInterrupted(io);
  link?.close();
  await served.close();
  return 0;
}

/**
 * Returns a function that does not print the same message twice in succession, because the command tries again and
 * again to reach a lost host.
 */
function once(log: (message: string) => void): (message: string) => void {
  let last = '';
  return (message) => {
    if (message !== last) log(message);
    last = message;
  };
}

function announce({ address, programAddress }: ServedUi, options: InspectOptions, io: CliIo): void {
  if (options.json === true) {
    printJson({ ok: true, address, programs: programAddress }, io.stdout);
    return;
  }
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.bold('Inspector')}  ${paint.cyan(address)}\n`);
  if (programAddress !== null)
    io.stdout.write(
      `To inspect another XState program, use createWebSocketInspector({ url: '${programAddress}' }) in it.\n`,
    );
  if (options.hosted === true)
    io.stderr.write('The page is a frame of stately.ai: it sees the names, events and states of the actors.\n');
  io.stderr.write('Anyone with this address can see the actors. Press Ctrl-C to end.\n');
}
