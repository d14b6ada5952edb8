import type { SessionRefusal, SessionEffects } from '../../../../src/actors/session/index.ts';
import type { SessionId } from '../../../../src/protocol/id.ts';
import type { Session } from '../../../../src/protocol/session.ts';
import type { DiscardChoices, MergeChoices } from '../../../../src/protocol/session-api.ts';

type Created = Awaited<ReturnType<SessionEffects['create']>>;

/** An effect that the manager has requested. The test decides when it ends. */
export interface Asked {
  readonly what: 'create' | 'merge' | 'discard';
  readonly id: SessionId;
  readonly choices: MergeChoices | DiscardChoices | null;
  /** The abort signal of a creation; null for other effects. */
  readonly signal: AbortSignal | null;
  end(ok: true): void;
  end(ok: false, why: string): void;
}

/** Returns effects that end when the test calls `end`. */
export function fakeEffects(merged: ReadonlySet<SessionId> = new Set()) {
  const asked: Asked[] = [];
  const begun: SessionId[] = [];
  const letGo: SessionId[] = [];
  const ask = <Value>(
    what: Asked['what'],
    session: Session,
    choices: Asked['choices'],
    done: Value,
    signal: AbortSignal | null = null,
  ) =>
    new Promise<Value | SessionRefusal>((resolve) => {
      const one: Asked = {
        what,
        id: session.id,
        choices,
        signal,
        end: (ok: boolean, why?: string) => {
          asked.splice(asked.indexOf(one), 1);
          resolve(ok ? done : { ok: false, why: why ?? '' });
        },
      };
      asked.push(one);
    });
  const effects: SessionEffects = {
    create: (session, signal) => {
      const base = { branch: session.baseBranch, commit: 'c'.repeat(40) };
      const created = {
        ok: true,
        base,
        worktree: `/w/${session.id}`,
        ports: null,
        isWorktreeKept: false,
        remarks: [],
      } as const;
      return ask<Created>('create', session, null, created, signal);
    },
    begin: ({ id }) => Promise.resolve(void begun.push(id)),
    isInProgress: () => false,
    letGo: ({ id }) => void letGo.push(id),
    conclude: () => Promise.resolve(null),
    merge: (session, choices) => ask('merge', session, choices, { ok: true as const, notes: [] }),
    isMerged: ({ id }) => Promise.resolve(merged.has(id)),
    discard: (session, choices) => ask('discard', session, choices, { ok: true as const, notes: [] }),
    goOnDiscarding: (session) => ask('discard', session, null, { ok: true as const, notes: [] }),
  };
  const find = (what: Asked['what'], id: SessionId): Asked => {
    const found = asked.find((one) => one.what === what && one.id === id);
    if (found === undefined) throw new Error(`nobody asked to ${what} ${id}`);
    return found;
  };
  return { effects, asked, begun, letGo, find };
}
