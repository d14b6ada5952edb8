import { secretText } from '#protocol/outbound.ts';
import { sliceFailureText } from '#protocol/context-slice.ts';
import type { RoboSmithEvent, VisitScope } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import { isKeylessAlias, serverOfKeyless } from '#protocol/local-server.ts';
import type { HaltReason, PathEntry } from '#protocol/response.ts';
import { oneLine } from '#protocol/plain-text.ts';
import { type ActiveVisit, createActiveVisits } from './active-visits.ts';
import { durationText, whenText } from './time-text.ts';
import { harmless, type Style } from './style.ts';

/** Returns an action in words. `name` maps block ids to displayed names; `next` is the default block to return to. */
export function actionText(action: string, name: (block: string) => string, next: string | null): string {
  const [verb = '', first = '', second] = action.split(':');
  const back = second ?? next;
  const then = back === null ? ', then return' : `, then ${name(back)}`;
  switch (verb) {
    case 'JUMP':
      return name(first);
    case 'CALL':
      return `call ${first}${then}`;
    case 'FORK':
      return `fork ${first.replaceAll(',', ', ')}${then}`;
    case 'RETURN':
      return 'return';
    case 'HALT_AND_FLAG':
      return 'halt';
    default:
      return action;
  }
}

export interface ProgressLines {
  /** Returns the permanent lines for this event. */
  linesFor(event: RoboSmithEvent): readonly string[];
  active(): readonly ActiveVisit[];
}

const BAD = /^SIGNAL:(FAILURE|ERROR|TIMEOUT|VALIDATION_FAIL|NO_SIGNAL)$/;

/** The names of a workflow's blocks, as displayed. */
type BlockNames = ReturnType<typeof blockNames>;

function blockNames(graph: Graph) {
  const blocks = new Map(
    graph.nodes.flatMap((node) =>
      node.blocks.map((block) => [block.id, { block, widths: widthsOf(node.blocks) }] as const),
    ),
  );
  const nameOf = (block: BlockId): string => harmless(blocks.get(block)?.block.name ?? block);
  const widths = (block: BlockId): Widths => blocks.get(block)?.widths ?? { name: 0, signal: 0 };
  return {
    nameOf,
    widths,
    padded: (block: BlockId): string => nameOf(block).padEnd(widths(block).name),
    /** Returns the display name of a block: its short name within the same node, its id otherwise. */
    nameIn: (node: string, id: string): string => {
      const block = blocks.get(id as BlockId)?.block;
      return block?.node === node ? block.name : id;
    },
    /** Returns the block that a transition to "next" leads to; null if there is none. */
    next: (block: BlockId): BlockId | null => blocks.get(block)?.block.next ?? null,
  };
}

/** Puts lines under the heading of their node, which is repeated whenever the node changes. */
interface Outline {
  line(where: Pick<VisitScope, 'node' | 'frame' | 'depth'>, line: string): readonly string[];
  /** Returns a warning of a block. Continuation lines are marked, so that a worker's text can't imitate our output. */
  note(scope: VisitScope, text: string): readonly string[];
}

function createOutline({ padded }: BlockNames, { paint, symbols }: Style): Outline {
  let heading = '';
  const branchText = (frame: string): string => {
    const branch = /\[(\d+)\]$/.exec(frame)?.[1];
    return branch === undefined ? '' : paint.dim(`  branch ${Number(branch) + 1}`);
  };
  const line: Outline['line'] = (where, text) => {
    const key = `${where.frame} ${where.node}`;
    const indent = '  '.repeat(where.depth + 1);
    const head = key === heading ? [] : [`${indent}${paint.bold(harmless(where.node))}${branchText(where.frame)}`];
    heading = key;
    return [...head, `${indent}  ${text}`];
  };
  return {
    line,
    note: (scope, text) => {
      const [first = '', ...more] = harmless(text).split('\n');
      const indent = '  '.repeat(scope.depth + 2);
      return [
        ...line(scope, `${paint.yellow(symbols.warn)} ${padded(scope.block)}  ${first}`),
        ...more.map((one) => `${indent}  ${paint.dim('|')} ${one}`),
      ];
    },
  };
}

/** Returns the text of a finished visit: its signal, the action taken, and how long it took. */
function visitText(
  entry: PathEntry,
  ms: number,
  isScripted: (block: BlockId) => boolean,
  names: BlockNames,
  { paint, symbols }: Style,
): string {
  const good = entry.signal !== null && !BAD.test(entry.signal);
  const mark =
    entry.signal === null ? paint.dim(symbols.skipped) : good ? paint.green(symbols.ok) : paint.yellow(symbols.bad);
  const signal = (entry.signal ?? (entry.action === null ? 'stopped' : 'left out'))
    .replace(/^SIGNAL:/, '')
    .padEnd(names.widths(entry.block).signal);
  const notes = [
    ...(ms < 1 ? [] : [durationText(ms)]),
    ...(entry.attempts > 1 ? [`${entry.attempts} attempts`] : []),
    ...evidenceNotes(entry),
    ...(isScripted(entry.block) ? ['scripted'] : []),
  ];
  const action = takenText(entry, names, { paint, symbols });
  const text = `${mark} ${names.padded(entry.block)}  ${good ? paint.green(signal) : paint.yellow(signal)}  ${action}`;
  return notes.length === 0 ? text : `${text}  ${paint.dim(notes.join(` ${symbols.dot} `))}`;
}

function takenText(
  { action, node, block, signal }: PathEntry,
  names: BlockNames,
  { paint, symbols }: Pick<Style, 'paint' | 'symbols'>,
): string {
  if (action === null) return signal === null ? '' : paint.red('no transition handles it');
  return `${symbols.arrow} ${harmless(actionText(action, (id) => names.nameIn(node, id), names.next(block)))}`;
}

/** Halts that end by themselves at a time. */
const TIMED: readonly HaltReason[] = ['quota', 'endpoint'];

/** Begins the sentence about a key: a model can be cooling alone, and a local server may have no key. */
function keyText({ key, model }: Extract<RoboSmithEvent, { type: 'key.changed' }>): string {
  const isKeyless = isKeylessAlias(key);
  const of = isKeyless ? serverOfKeyless(key) : key;
  if (model !== null) return `the model ${model} ${isKeyless ? 'at' : 'with the key'} ${of} is`;
  return isKeyless ? `the server ${of}, called without a key, is` : `the key ${of} is`;
}

/** Turns events into lines: a heading when the node changes, then a line per finished visit. */
export function progressLines(graph: Graph, isScripted: (block: BlockId) => boolean, style: Style): ProgressLines {
  const { paint, symbols } = style;
  const names = blockNames(graph);
  const visits = createActiveVisits(names.nameOf);
  const { line, note } = createOutline(names, style);

  const linesOf = (event: RoboSmithEvent): readonly string[] => {
    switch (event.type) {
      case 'context.assembled': {
        const lacks = sliceFailureText(event);
        return lacks === null ? [] : note(event, lacks);
      }
      case 'block.failed':
        return note(event, `${event.failure.reason}: ${messageOf(event.failure.details)}`);
      case 'block.cut_off': {
        const how = event.after === 'crash' ? 'interrupted by a crash' : 'stopped';
        return note(event, `was ${how}, and is executed again`);
      }
      case 'recovery.retry':
        return note(event, event.delay_ms === 0 ? 'tries again' : `tries again in ${durationText(event.delay_ms)}`);
      case 'recovery.repair':
        return note(event, `${event.worker} ${event.made ? 'made a new request' : 'could not repair it'}`);
      case 'ai.call.fallback':
        return note(event, `${event.model} is used in place of ${event.from} (${event.why})`);
      case 'ai.call.redacted':
        return note(event, secretText(event));
      case 'key.changed': {
        if (event.state === 'healthy' || event.state === 'half_open') return [];
        const until = event.until === null ? '' : ` until ${whenText(event.until)}`;
        return note(event, `${keyText(event)} ${event.state}${until}`);
      }
      case 'main.changed':
        return note(event, `the main checkout changed during the step: ${event.text.split('\n')[0] ?? ''}`);
      case 'exports.refused':
        return note(event, `exports with reserved names were dropped: ${event.keys.join(', ')}`);
      case 'block.halted': {
        const what = TIMED.includes(event.why) ? 'its scheduled time' : 'a person';
        const text = `${symbols.halt} ${names.padded(event.block)}  waits for ${what} (${event.why})`;
        return line(event, paint.magenta(text));
      }
      case 'block.answered': {
        const text = `${symbols.arrow} ${names.padded(event.block)}  answered: ${harmless(event.answer)}`;
        return line(event, paint.magenta(text));
      }
      case 'transition.taken': {
        const { entry } = event;
        return line(entry, visitText(entry, visits.takeTime(entry), isScripted, names, style));
      }
      default:
        return [];
    }
  };

  return {
    active: visits.all,
    linesFor: (event) => {
      visits.take(event);
      return linesOf(event);
    },
  };
}

/** Returns `evidence passed`, or what failed. */
function evidenceNotes({ evidence = [] }: PathEntry): readonly string[] {
  const failed = evidence.filter(({ held }) => !held).map(({ check }) => harmless(oneLine(check)));
  if (failed.length > 0) return [`evidence failed: ${failed.join(', ')}`];
  return evidence.length === 0 ? [] : ['evidence passed'];
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
