import { secretText } from '#protocol/secret-text.ts';
import type { AttemptScope, RoboSmithEvent, VisitScope } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { actionText } from './action-text.ts';
import { durationText } from './duration.ts';
import { harmless, type Style } from './style.ts';
import { whenText } from './when.ts';

/** A visit that is in progress. */
export interface ActiveVisit {
  readonly name: string;
  readonly depth: number;
  readonly attempt: number;
  /** The start, in milliseconds of the run's clock. */
  readonly since: number;
  readonly said: string;
}

export interface ProgressLines {
  /** Returns the permanent lines for this event. */
  linesFor(event: RoboSmithEvent): readonly string[];
  active(): readonly ActiveVisit[];
}

const BAD = /^SIGNAL:(FAILURE|ERROR|TIMEOUT|VALIDATION_FAIL|NO_SIGNAL)$/;

type Visited = Pick<PathEntry, 'frame' | 'block' | 'visit'>;

/** Joins a text into one line: the live display erases by line count. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const keyOf = ({ frame, block, visit }: Visited): string => `${frame} ${block} ${visit}`;

/** Turns events into lines: a heading when the node changes, then a line per finished visit. */
export function progressLines(graph: Graph, isScripted: (block: BlockId) => boolean, style: Style): ProgressLines {
  const { paint, symbols } = style;
  const blocks = new Map(
    graph.nodes.flatMap((node) =>
      node.blocks.map((block) => [block.id, { block, widths: widthsOf(node.blocks) }] as const),
    ),
  );
  const active = new Map<string, ActiveVisit>();
  /** Durations of a visit's attempts. A failed attempt may end with two events, which state the same time. */
  const spent = new Map<string, Map<number, number>>();
  let heading = '';

  const under = (
    where: { readonly node: string; readonly frame: string; readonly depth: number },
    line: string,
  ): readonly string[] => {
    const key = `${where.frame} ${where.node}`;
    const indent = '  '.repeat(where.depth + 1);
    const head = key === heading ? [] : [`${indent}${paint.bold(harmless(where.node))}${branchText(where.frame)}`];
    heading = key;
    return [...head, `${indent}  ${line}`];
  };
  const branchText = (frame: string): string => {
    const branch = /\[(\d+)\]$/.exec(frame)?.[1];
    return branch === undefined ? '' : paint.dim(`  branch ${Number(branch) + 1}`);
  };
  const nameOf = (block: BlockId): string => harmless(blocks.get(block)?.block.name ?? block);
  const padded = (block: BlockId): string => nameOf(block).padEnd(blocks.get(block)?.widths.name ?? 0);

  /** Returns the display name of a block: its short name within the same node, its id otherwise. */
  const nameIn = (node: string, id: string): string => {
    const block = blocks.get(id as BlockId)?.block;
    return block?.node === node ? block.name : id;
  };

  const actionOf = ({ action, node, block, signal }: PathEntry): string => {
    const next = blocks.get(block)?.block.next ?? null;
    if (action !== null) return `${symbols.arrow} ${harmless(actionText(action, (id) => nameIn(node, id), next))}`;
    return signal === null ? '' : paint.red('nothing handles it');
  };

  const timeOf = (visit: Visited): number =>
    [...(spent.get(keyOf(visit))?.values() ?? [])].reduce((sum, ms) => sum + ms, 0);

  const lookUp = (entry: PathEntry): readonly string[] => {
    const widths = blocks.get(entry.block)?.widths ?? { name: 0, signal: 0 };
    const good = entry.signal !== null && !BAD.test(entry.signal);
    const mark =
      entry.signal === null ? paint.dim(symbols.skipped) : good ? paint.green(symbols.ok) : paint.yellow(symbols.bad);
    const signal = (entry.signal ?? (entry.action === null ? 'stopped' : 'left out'))
      .replace(/^SIGNAL:/, '')
      .padEnd(widths.signal);
    const action = actionOf(entry);
    const ms = timeOf(entry);
    const notes = [
      ...(ms < 1 ? [] : [durationText(ms)]),
      ...(entry.attempts > 1 ? [`${entry.attempts} attempts`] : []),
      ...evidenceNotes(entry),
      ...(isScripted(entry.block) ? ['scripted'] : []),
    ];
    spent.delete(keyOf(entry));
    const text = `${mark} ${padded(entry.block)}  ${good ? paint.green(signal) : paint.yellow(signal)}  ${action}`;
    return under(entry, notes.length === 0 ? text : `${text}  ${paint.dim(notes.join(` ${symbols.dot} `))}`);
  };

  /** Continuation lines are marked, so that a worker's text can't imitate our output. */
  const note = (scope: VisitScope, text: string): readonly string[] => {
    const [first = '', ...more] = harmless(text).split('\n');
    const indent = '  '.repeat(scope.depth + 2);
    return [
      ...under(scope, `${paint.yellow(symbols.warn)} ${padded(scope.block)}  ${first}`),
      ...more.map((line) => `${indent}  ${paint.dim('|')} ${line}`),
    ];
  };
  const addTime = (scope: AttemptScope, ms: number): void => {
    const times = spent.get(keyOf(scope)) ?? new Map<number, number>();
    if (!times.has(scope.attempt)) spent.set(keyOf(scope), times.set(scope.attempt, ms));
  };

  return {
    active: () => [...active.values()],
    linesFor: (event) => {
      switch (event.type) {
        case 'block.started':
          active.set(keyOf(event), {
            name: nameOf(event.block),
            depth: event.depth,
            attempt: event.attempt,
            since: event.time,
            said: '',
          });
          return [];
        case 'block.progress': {
          const known = active.get(keyOf(event));
          if (known !== undefined) active.set(keyOf(event), { ...known, said: harmless(oneLine(event.text)) });
          return [];
        }
        case 'block.finished':
          active.delete(keyOf(event));
          addTime(event, event.duration_ms);
          return [];
        case 'block.failed':
          active.delete(keyOf(event));
          addTime(event, event.duration_ms);
          return note(event, `${event.failure.reason}: ${messageOf(event.failure.details)}`);
        case 'block.cut_off':
          active.delete(keyOf(event));
          return note(
            event,
            `was ${event.after === 'crash' ? 'interrupted by a crash' : 'stopped'}, and is executed again`,
          );
        case 'recovery.retry':
          return note(event, event.delay_ms === 0 ? 'tries again' : `tries again in ${durationText(event.delay_ms)}`);
        case 'recovery.repair':
          return note(event, `${event.worker} ${event.made ? 'made a new request' : 'could not repair it'}`);
        case 'ai.call.redacted':
          return note(event, secretText(event));
        case 'key.changed': {
          if (event.state === 'healthy' || event.state === 'half_open') return [];
          const until = event.until === null ? '' : ` until ${whenText(event.until)}`;
          const what = event.model === null ? event.key : `${event.model} with ${event.key}`;
          return note(event, `the key ${what} is ${event.state}${until}`);
        }
        case 'main.changed':
          return note(event, `the main checkout changed during the step: ${event.text.split('\n')[0] ?? ''}`);
        case 'exports.refused':
          return note(event, `reserved exports were dropped: ${event.keys.join(', ')}`);
        case 'block.halted':
          active.delete(keyOf(event));
          return under(
            event,
            paint.magenta(`${symbols.halt} ${padded(event.block)}  waits for a person (${event.why})`),
          );
        case 'block.answered':
          return under(
            event,
            paint.magenta(`${symbols.arrow} ${padded(event.block)}  answered: ${harmless(event.answer)}`),
          );
        case 'transition.taken':
          active.delete(keyOf(event.entry));
          return lookUp(event.entry);
        default:
          return [];
      }
    },
  };
}

/** Returns `evidence held`, or what failed. */
function evidenceNotes({ evidence = [] }: PathEntry): readonly string[] {
  const failed = evidence.filter(({ held }) => !held).map(({ check }) => harmless(oneLine(check)));
  if (failed.length > 0) return [`evidence failed: ${failed.join(', ')}`];
  return evidence.length === 0 ? [] : ['evidence held'];
}

const messageOf = (details: Readonly<Record<string, unknown>>): string =>
  typeof details['message'] === 'string' ? details['message'] : 'no message';

interface Widths {
  readonly name: number;
  readonly signal: number;
}

function widthsOf(blocks: Graph['nodes'][number]['blocks']): Widths {
  const signals = blocks.flatMap(({ transitions }) =>
    transitions.map(({ signal }) => signal.replace(/^SIGNAL:(FAIL_DEFAULT)?/, '')),
  );
  return {
    name: Math.min(28, longest(blocks.map(({ name }) => name))),
    signal: Math.min(20, longest(['SUCCESS', ...signals])),
  };
}

const longest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, text.length), 0);
