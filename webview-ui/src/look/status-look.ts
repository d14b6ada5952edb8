import type {
  BlockStatus,
  HealthColour,
  OverlapSignal,
  QueueSignal,
  SessionTab,
  WorkerKind,
} from '#protocol/generated/view.gen.ts';
import type { IconName } from './icons.ts';

/** The word for each status, the same in every view. */
export const STATUS_WORD: Readonly<Record<BlockStatus, string>> = {
  pending: 'Pending',
  active: 'Running',
  complete: 'Complete',
  failed: 'Failed',
  halted: 'Action required',
  skipped: 'Skipped',
};

export const STATUS_ICON: Readonly<Record<BlockStatus, IconName>> = {
  pending: 'circle-large',
  active: 'play-circle',
  complete: 'pass-filled',
  failed: 'error',
  halted: 'debug-pause',
  skipped: 'circle-slash',
};

export const KIND_ICON: Readonly<Record<WorkerKind, IconName>> = {
  ai: 'sparkle',
  agent: 'hubot',
  command: 'terminal',
  'built-in': 'gear',
  module: 'package',
  scripted: 'note',
  person: 'person',
};

export const KIND_WORD: Readonly<Record<WorkerKind, string>> = {
  ai: 'AI worker',
  agent: 'Coding agent',
  command: 'Command',
  'built-in': 'Built-in',
  module: 'Module',
  scripted: 'Scripted',
  person: 'Person',
};

interface TabLook {
  readonly icon: IconName;
  readonly tone: BlockStatus;
  readonly word: string;
}

const BUSY: Partial<Readonly<Record<SessionTab['state'], string>>> = {
  creating: 'Creating',
  merging: 'Merging',
  updating: 'Updating',
  holding: 'Holding',
  discarding: 'Discarding',
};

const SETTLED: Partial<Readonly<Record<SessionTab['state'], TabLook>>> = {
  draft: { icon: 'note', tone: 'pending', word: 'Draft' },
  held: { icon: 'archive', tone: 'pending', word: 'Held' },
  merged: { icon: 'pass-filled', tone: 'complete', word: 'Merged' },
  discarded: { icon: 'circle-slash', tone: 'skipped', word: 'Discarded' },
  failed: { icon: 'error', tone: 'failed', word: 'Failed' },
};

interface HealthLook {
  readonly word: string;
  readonly tone: BlockStatus;
  /** An icon whose shape has the same meaning as the colour. */
  readonly icon: IconName;
}

/**
 * The label, colour and icon for each health of a session's worktree. Amber is not a warning: it means that the
 * worktree is in use.
 */
export const HEALTH_LOOK: Readonly<Record<HealthColour, HealthLook>> = {
  green: { word: 'Worktree clean', tone: 'complete', icon: 'circle-filled' },
  amber: { word: 'Worktree in use', tone: 'active', icon: 'circle-outline' },
  red: { word: 'Worktree needs attention', tone: 'failed', icon: 'error' },
};

const WAITS: QueueSignal = 'queued';

const DONE: QueueSignal = 'complete';

const NO_OVERLAP: OverlapSignal = 'Clear';

/** Returns tags for a session's tab: its place in the queue and its overlap, unless these are the normal ones. */
export function tabTags({ order, overlap }: SessionTab): readonly string[] {
  const ordered = order !== null && !order.startsWith('FIFO') ? [order] : [];
  return overlap === NO_OVERLAP ? ordered : [...ordered, overlap];
}

const place = (order: string | null): string => (order === null ? '' : ` ${order.replace(/^FIFO /, '')}`);

/** Returns the label, colour and icon of a session's tab. */
export function tabLook(tab: SessionTab): TabLook {
  const busy = BUSY[tab.state];
  if (busy !== undefined) return { icon: 'play-circle', tone: 'active', word: busy };
  const settled = SETTLED[tab.state];
  if (settled !== undefined) return settled;
  if (tab.needsPerson && tab.state !== 'ready')
    return { icon: 'debug-pause', tone: 'halted', word: STATUS_WORD.halted };
  if (tab.queue === WAITS) return { icon: 'watch', tone: 'pending', word: `Queued${place(tab.order)}` };
  if (tab.queue === DONE) return { icon: 'pass-filled', tone: 'complete', word: STATUS_WORD.complete };
  return { icon: 'play-circle', tone: 'active', word: STATUS_WORD.active };
}
