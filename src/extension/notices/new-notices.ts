import type { InboxEntry, SessionTab } from '#protocol/generated/view.gen.ts';

/** The part of the project's state that notices are made from. */
export interface NoticeSource {
  readonly sessions: readonly SessionTab[];
  readonly inbox: readonly InboxEntry[];
}

/** An event that the user is notified of once: a halt, or the end of a run. */
export interface EventNotice {
  /** The key of the event. It is the same in all windows of the project, and different for each event. */
  readonly key: string;
  readonly kind: 'halt' | 'ready' | 'failed' | 'merged';
  readonly title: string;
  readonly text: string;
  /** The tab of Mission Control that shows it. */
  readonly tab: string | null;
  readonly block: string | null;
  readonly halt: string | null;
}

const ACTIVE: ReadonlySet<string> = new Set(['creating', 'running', 'halted']);

const isEnd = (state: SessionTab['state']): state is 'ready' | 'failed' | 'merged' =>
  state === 'ready' || state === 'failed' || state === 'merged';

function newHalts(before: NoticeSource, now: NoticeSource): readonly EventNotice[] {
  const known = new Set(before.inbox.map(({ key }) => key));
  return now.inbox
    .filter(({ kind, key }) => kind === 'halt' && !known.has(key))
    .map(({ key, title, text, session, run, block, halt }) => {
      return { key, kind: 'halt', title, text, tab: session ?? run, block, halt };
    });
}

function newEnds(before: NoticeSource, now: NoticeSource): readonly EventNotice[] {
  const active = new Set(before.sessions.filter(({ state }) => ACTIVE.has(state)).map(({ key }) => key));
  return now.sessions.flatMap(({ key, run, title, state, why }): readonly EventNotice[] =>
    active.has(key) && isEnd(state)
      ? [{ key: `end ${key} ${run ?? ''}`, kind: state, title, text: why ?? '', tab: key, block: null, halt: null }]
      : [],
  );
}

/** Returns the events between two states of the project; none if there is no earlier state. */
export const newNotices = (before: NoticeSource | null, now: NoticeSource): readonly EventNotice[] =>
  before === null ? [] : [...newHalts(before, now), ...newEnds(before, now)];

export type NoticeMode = 'away' | 'always' | 'never';

/** Returns whether a window shows notices. `isWatched`: it has the focus, and Mission Control is visible in it. */
export const isShown = (when: NoticeMode, isWatched: boolean): boolean =>
  when === 'always' || (when === 'away' && !isWatched);
