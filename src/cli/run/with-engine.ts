import { setTimeout } from 'node:timers/promises';
import { refusalResponse } from '#engine/authoring.ts';
import { type Engine, type engineOwner, isElsewhere, openEngine, type OpenEngineOptions } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { ageText } from '../print/age.ts';
import { borrowEngine } from './borrow-engine.ts';

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

export type WithEngine<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Response };

interface WithEngineOptions extends Omit<OpenEngineOptions, 'warn'> {
  /**
   * True for short work. If another command that started recently owns the engine, opening is retried, because that
   * command is probably short as well.
   */
  readonly isBrief?: boolean;
}

/**
 * The maximum age in milliseconds of a command that counts as recently started. On a busy machine, short work takes
 * seconds.
 */
const YOUNG_MS = 5_000;
const LONGEST_WAIT_MS = 20_000;
const NEXT_TRY_MS = 50;

/** Opens the engine; commands started at the same time wait for each other. */
async function openInTurn(root: string, options: OpenEngineOptions): Promise<ReturnType<typeof openEngine>> {
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const opened = openEngine(root, options);
    if (opened.ok || opened.why === 'other_host' || opened.owner.socket !== null) return opened;
    if (Date.now() - opened.owner.since > YOUNG_MS || performance.now() > end) return opened;
    await setTimeout(NEXT_TRY_MS);
  }
}

/**
 * Runs a function with the project's engine. Returns a refusal if the engine is owned by another process or its state
 * can't be kept.
 */
export async function withEngine<Value>(
  root: string,
  warn: (message: string) => void,
  work: (engine: Engine) => Value | Promise<Value>,
  { isBrief = false, ...means }: WithEngineOptions = {},
): Promise<WithEngine<Value>> {
  try {
    const first = isBrief ? await openInTurn(root, { warn, ...means }) : openEngine(root, { warn, ...means });
    const mayLend = !first.ok && first.owner.socket !== null;
    const borrowed = mayLend ? await borrowEngine(root, warn) : null;
    // Opening the engine is tried again even if no host was found, because the host may have ended meanwhile.
    const opened = mayLend && borrowed?.ok !== false ? openEngine(root, { warn, ...means }) : first;
    const sessions = borrowed?.ok === false ? borrowed.sessions : [];
    if (!opened.ok) return { ok: false, refusal: busy(opened.owner, sessions) };
    try {
      return { ok: true, value: await work(opened.engine) };
    } finally {
      opened.engine.close();
      if (borrowed?.ok === true) await borrowed.giveBack();
    }
  } catch (thrown) {
    const refusal = stateTrouble(thrown);
    if (refusal === null) throw thrown;
    return { ok: false, refusal };
  }
}

/** Returns a problem with the stored state as a Response; null for other errors. */
export function stateTrouble(thrown: unknown): Response | null {
  if (RoboSmithError.is(thrown, 'corrupt_state') || RoboSmithError.is(thrown, 'state_not_saved'))
    return refusalResponse(thrown.code === 'corrupt_state' ? 'corrupt_state' : 'state_not_saved', {
      message: thrown.message,
      ...thrown.data,
    });
  // System errors: the disk is full or read-only, or access is denied.
  if (thrown instanceof Error && 'syscall' in thrown)
    return refusalResponse('state_not_saved', { message: `The state in .flow can't be written: ${thrown.message}` });
  return null;
}

/**
 * Returns which process owns the engine, and what to do. `sessions` are the sessions on which that process works.
 */
export function busyText(owner: Owner, sessions: readonly SessionId[] = []): string {
  const { pid, host, since, socket } = owner;
  const elsewhere = isElsewhere(owner);
  const here = socket === null ? `Process ${pid}` : `The engine host, process ${pid},`;
  const who = elsewhere ? `Process ${pid} on the machine ${host}` : here;
  const does = `${who} has been running this project's engine for ${ageText(since, Date.now())}, and a project has only one engine.`;
  if (elsewhere) return `${does} This machine can't check whether it is alive. If it is not, remove .flow/engine.lock.`;
  return sessions.length > 0
    ? `${does} Wait until it has finished ${sessions.join(', ')}.`
    : `${does} Wait until it ends, or stop its runs with \`robosmith runs stop <run>\`.`;
}

/**
 * Returns the refusal of a command because another process owns the engine. `sessions` are the sessions on which that
 * process works.
 */
export function busy(owner: Owner, sessions: readonly SessionId[] = []): Response {
  const { pid, host, since } = owner;
  const message = busyText(owner, sessions);
  return refusalResponse('engine_busy', { message, pid, host, since, next: ['robosmith runs'] });
}
