import type { RoboSmithEvent } from '#protocol/event.ts';
import type { JsonObject } from '#protocol/json.ts';
import { oneLine } from '#protocol/plain-text.ts';
import { harmless, type Style } from '../print/style.ts';
import type { Screen } from '../terminal/cli-io.ts';
import type { DoNames } from './do-run.ts';
import { rowText } from './row-text.ts';
import { NAMES } from './workflow-text.ts';

/** What goes on now, for the line that is rewritten. */
interface Activity {
  readonly name: string;
  readonly since: number;
  /** The last words of the program. */
  readonly said: string;
}

export interface DoRows {
  /** Returns the lines that stay for this event. */
  linesFor(event: RoboSmithEvent): readonly string[];
  active(): Activity | null;
}

type Finished = Extract<RoboSmithEvent, { readonly type: 'block.finished' }>;
type Checked = Extract<RoboSmithEvent, { readonly type: 'evidence.checked' }>;

const SUCCESS = 'SIGNAL:SUCCESS';

const REVIEW = /^Review_(\d+)__Review$/;

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function workVerdict(stats: JsonObject, isGood: boolean): string {
  const files = numberIn(stats['files_changed']);
  const changed =
    files === null
      ? 'has answered'
      : files === 0
        ? 'changed no file'
        : `changed ${String(files)} ${files === 1 ? 'file' : 'files'}`;
  return isGood ? changed : `${changed}; not done`;
}

/** Turns the events of a task into rows: who or what, its result, time and cost. */
export function doRows({ agent, check }: DoNames, style: Style, screen: Screen): DoRows {
  const { paint, symbols } = style;
  const width = Math.min(24, Math.max(agent.length, (check ?? '').length, 'reviewer 1'.length));
  const active = new Map<string, Activity & { readonly began: number }>();
  /** Whether the check of the execution has reported the work. */
  let isChecked = false;

  const row = (isGood: boolean, name: string, verdict: string, ms: number | null, microUsd: number | null): string => {
    const mark = isGood ? paint.green(symbols.ok) : paint.red(symbols.bad);
    const text = `  ${mark} ${harmless(name).padEnd(width)}  ${harmless(oneLine(verdict, 200))}`;
    return rowText(text, { ms, microUsd }, screen, paint.dim);
  };
  const note = (text: string): string => `  ${paint.yellow(symbols.warn)} ${harmless(oneLine(text, 400))}`;
  const nameOf = (block: string): string | null => {
    if (block === NAMES.work) return agent;
    const review = REVIEW.exec(block)?.[1];
    return review === undefined ? null : `reviewer ${review}`;
  };

  const workRow = (stats: JsonObject, isGood: boolean, ms: number | null): string =>
    row(isGood, agent, workVerdict(stats, isGood), ms, numberIn(stats['cost_micro_usd']));

  const finished = ({ block, frame, signal, stats, duration_ms }: Finished): readonly string[] => {
    const name = nameOf(block);
    const isGood = signal === SUCCESS;
    active.delete(frame);
    if (name === null || (block === NAMES.work && isChecked)) return [];
    if (block === NAMES.work) return [workRow(stats, isGood, duration_ms)];
    const verdict = isGood ? 'has no objection' : 'objects';
    return [row(isGood, name, verdict, duration_ms, numberIn(stats['cost_micro_usd']))];
  };

  /** The work is reported together with its first check, since it counts as finished only after its checks. */
  const checked = ({ frame, held, summary, tests, stats, time, duration_ms = 0 }: Checked): readonly string[] => {
    isChecked = true;
    const began = active.get(frame)?.began ?? time;
    return [
      ...(stats === undefined ? [] : [workRow(stats, true, time - duration_ms - began)]),
      row(held, check ?? 'check', tests ?? (held ? 'passes' : summary), duration_ms, null),
    ];
  };

  const linesFor: DoRows['linesFor'] = (event) => {
    switch (event.type) {
      case 'block.started': {
        const name = nameOf(event.block);
        const { started_at: since } = event;
        if (name !== null) active.set(event.frame, { name, since, began: since, said: '' });
        isChecked = false;
        return [];
      }
      case 'block.progress': {
        const now = active.get(event.frame);
        if (now === undefined) return [];
        // The engine says so when the check begins.
        const isCheck = check !== null && event.text.startsWith('evidence: ');
        const said = oneLine(event.text, 200);
        active.set(event.frame, isCheck ? { ...now, name: check, since: event.time, said: '' } : { ...now, said });
        return [];
      }
      case 'block.finished':
        return finished(event);
      case 'evidence.checked':
        return checked(event);
      case 'block.failed': {
        active.delete(event.frame);
        const { message } = event.failure.details;
        // A failed check was reported as such.
        if (event.failure.reason === 'evidence_failed') return [];
        const name = nameOf(event.block);
        return name === null
          ? [note(typeof message === 'string' ? message : event.failure.reason)]
          : [row(false, name, typeof message === 'string' ? message : 'failed', event.duration_ms, null)];
      }
      case 'block.cut_off':
        return [note(`${nameOf(event.block) ?? 'A step'} was interrupted, and begins again`)];
      case 'block.halted':
      case 'run.finished':
        active.clear();
        return [];
      default:
        return [];
    }
  };

  return {
    linesFor,
    active: () => [...active.values()].at(-1) ?? null,
  };
}
