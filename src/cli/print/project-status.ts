import type { DiskUse, ProjectStatus } from '#engine/index.ts';
import type { Spent } from '#protocol/spent.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ageText } from './time-text.ts';
import { bytesText } from '#protocol/amount-text.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { runLines } from './runs.ts';
import { cutOffRun, notComparedNote, sessionLines, unfinishedSessions } from './sessions.ts';
import { styleFor } from './style.ts';

type Run = ProjectStatus['runs'][number];

interface StatusChoices {
  /** Null if disk usage was not requested. */
  readonly disk: DiskUse | null;
  readonly all: boolean;
  /** What each run has used. */
  readonly costs: ReadonlyMap<string, Spent>;
}

function engineText({ engine }: ProjectStatus): string {
  if (engine === null) return 'not running';
  const { kind, pid, since } = engine;
  return `${kind === 'host' ? 'host, ' : ''}process ${pid}, for ${ageText(since, Date.now())}`;
}

type Size = DiskUse['flow'];

const sizeText = (size: Size): string =>
  size === null ? 'nothing' : `${size.isWhole ? '' : 'more than '}${bytesText(size.bytes)}`;

function diskText({ worktrees, flow, logs }: DiskUse): string {
  const sizes = worktrees.flatMap(({ size }) => size ?? []);
  const sum = {
    bytes: sizes.reduce((total, { bytes }) => total + bytes, 0),
    isWhole: sizes.every(({ isWhole }) => isWhole),
  };
  return `worktrees ${sizeText(sum)}, .flow ${sizeText(flow)}, .vision/logs ${sizeText(logs)}`;
}

function facts(status: ProjectStatus, disk: DiskUse | null): readonly (readonly [name: string, text: string])[] {
  const { waiting, findings } = status;
  return [
    ['engine', engineText(status)],
    [
      'for you',
      waiting === 0
        ? 'nothing is waiting'
        : `${waiting === 1 ? '1 item waits' : `${waiting} items wait`}: robosmith inbox`,
    ],
    ...(disk === null ? [] : [['disk', diskText(disk)] as const]),
    ...(findings === null || findings === 0
      ? []
      : [['worktrees', `${findings} to check: robosmith worktrees`] as const]),
  ];
}

/** The maximum number of interrupted runs listed, so that they don't hide active ones; the rest is counted. */
const MOST_INTERRUPTED = 5;

const isInterrupted = ({ status }: Run): boolean => status === 'interrupted';

/** Selects the runs outside of sessions that are listed, and counts the rest. */
function listedRuns(runs: readonly Run[]): { readonly listed: readonly Run[]; readonly counted: number } {
  const counted = runs.filter(isInterrupted).length;
  return counted > MOST_INTERRUPTED
    ? { listed: runs.filter((run) => !isInterrupted(run)), counted }
    : { listed: runs, counted: 0 };
}

function outsideLines(runs: readonly Run[], costs: StatusChoices['costs'], io: CliIo): readonly string[] {
  if (runs.length === 0) return [];
  const { listed, counted } = listedRuns(runs);
  return [
    '',
    'Runs outside of sessions:',
    ...(listed.length === 0 ? [] : runLines(listed.map(asListing), costs, io)),
    ...(counted === 0 ? [] : [`${counted} were interrupted, and can be resumed: robosmith runs`]),
  ];
}

/** Returns the status lines: engine, halts, sessions, and runs outside of sessions. */
export function statusLines(status: ProjectStatus, { disk, all, costs }: StatusChoices, io: CliIo): readonly string[] {
  const { paint } = styleFor(io.stdout, io);
  const { sessions, runs, waiting } = status;
  const shown = all ? sessions : unfinishedSessions(sessions);
  const over = sessions.length - shown.length;
  const room = roomOn(io.stdout);
  const head = facts(status, disk).flatMap(([name, text]) => {
    const isLoud = name === 'worktrees' || (name === 'for you' && waiting > 0);
    return fitLines(`${paint.dim(name.padEnd(9))} ${isLoud ? paint.yellow(text) : text}`, room, ' '.repeat(10));
  });
  return [
    ...head,
    '',
    ...(shown.length === 0 ? ['No active sessions.'] : sessionLines(shown, io, { queue: 'queue', disk })),
    ...notComparedNote(shown).flatMap((text) => fitLines(text, room)),
    ...(over === 0 ? [] : [paint.dim(`${over} ${over === 1 ? 'has' : 'have'} ended: robosmith status --all`)]),
    ...outsideLines(runs, costs, io),
  ];
}

const asListing = (summary: Run) => ({
  kind: 'run' as const,
  run: summary.run,
  summary,
  size: 0,
});

export function statusNext({ sessions, runs, waiting }: ProjectStatus): readonly string[] {
  const resting = listedRuns(runs).listed.filter((run) => isInterrupted(run) || run.status === 'paused');
  const cutOff = [...sessions.map(cutOffRun), ...resting.map(({ run }) => run)].find((run) => run !== null);
  const goesOn = cutOff === undefined || cutOff === null ? [] : [`robosmith resume ${cutOff}`];
  if (waiting > 0 || goesOn.length > 0) return [...(waiting > 0 ? ['robosmith inbox'] : []), ...goesOn];
  const ready = sessions.find(({ session: { state } }) => state === 'ready');
  if (ready !== undefined) return [`robosmith sessions show ${ready.session.id}`];
  if (listedRuns(runs).counted > 0) return ['robosmith runs'];
  return sessions.length + runs.length === 0 ? ['robosmith sessions new --help', 'robosmith run --help'] : [];
}
