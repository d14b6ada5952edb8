import { type DiskUse, projectDisk, projectStatus, watchProject } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { onKeys } from '../ask/on-keys.ts';
import { statusLines } from '../print/project-status.ts';
import { redrawing } from '../print/redrawing.ts';
import { styleFor } from '../print/style.ts';

/** Ages are redrawn every second; git is queried less often, and at once after an event. */
const DRAW_MS = 1_000;
const LOOK_MS = 5_000;
const DISK_MS = 60_000;

const ENDING: ReadonlySet<string> = new Set(['q', 'Q', '\u0003', '\u0004']);

/** Keeps the status on screen until the user quits. */
export async function watchStatus(
  root: string,
  { disk, all }: { readonly disk: boolean; readonly all: boolean },
  io: CliIo,
): Promise<number> {
  const ended = Promise.withResolvers<undefined>();
  const { paint } = styleFor(io.stdout, io);
  const screen = redrawing(io.stdout);
  let use: DiskUse | null = null;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const measure = async (): Promise<void> => {
    if (!disk || Date.now() - measuredAt < DISK_MS) return;
    measuredAt = Date.now();
    use = await projectDisk(root);
  };
  await measure();
  let found = await projectStatus(root);
  let lookedAt = Date.now();
  let isLooking = false;
  let isDue = false;
  let isOver = false;
  const draw = (): void => {
    if (isOver) return;
    screen.draw([...statusLines(found, { disk: use, all }, io), '', paint.dim('press q to quit')]);
  };
  const lookAgain = async (): Promise<void> => {
    isDue = isLooking;
    if (isLooking) return;
    isLooking = true;
    try {
      await measure();
      found = await projectStatus(root);
    } finally {
      isLooking = false;
      lookedAt = Date.now();
    }
    draw();
    if (isDue) await lookAgain();
  };
  const look = (): void => void lookAgain().catch(ended.reject);
  const stops = [
    watchProject(root, look),
    onKeys((key) => {
      if (ENDING.has(key)) ended.resolve(undefined);
    }),
    io.onInterrupt(() => ended.resolve(undefined)),
  ];
  const timer = setInterval(() => {
    draw();
    if (Date.now() - lookedAt >= LOOK_MS) look();
  }, DRAW_MS);
  try {
    draw();
    await ended.promise;
  } finally {
    isOver = true;
    clearInterval(timer);
    for (const stop of stops) stop();
  }
  return 0;
}
