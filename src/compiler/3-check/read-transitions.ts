import type { Action, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId, Signal } from '#protocol/id.ts';
import { isSignal } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { actionText } from '../2-resolve/action-grammar.ts';
import type { ParsedAction } from '../2-resolve/action-grammar.ts';
import type { ResolvedBlock, ResolvedRow } from '../2-resolve/resolved-manifest.ts';
import { nearWord } from '../2-resolve/desugar-short-rows.ts';
import { isUncertain } from './known-names.ts';
import type { KnownNames } from './known-names.ts';
import { readCondition } from './read-condition.ts';

type Edge = 'RS2013' | 'RS2015';

interface Row {
  readonly block: ResolvedBlock;
  readonly row: ResolvedRow;
}

/** Returns the action as written, so that users find it in the file. */
const shownAction = ({ written, action, shown }: ResolvedRow): string =>
  shown ?? (written && readString(written, 'action')) ?? actionText(action);

function checkBlock(code: Edge, target: BlockId, { block, row }: Row, names: KnownNames, diagnose: Diagnose): boolean {
  if (names.blocks.has(target)) return true;
  if (isUncertain(target, names)) return false;
  const { report, nearest } = diagnose;
  const near = nearest(target, names.blocks.keys());
  if (near !== null) names.presumed.add(near);
  const own = `${block.node}__`;
  const shown = (id: string): string => (id.startsWith(own) ? id.slice(own.length) : id);
  const word = near !== null || row.shown === undefined ? null : nearWord(row.shown, diagnose);
  report(
    code,
    code === 'RS2015' ? (row.addressSpot ?? row.spot) : row.spot,
    { target: shown(target), action: shownAction(row) },
    { near: near === null ? word : shown(near) },
  );
  return false;
}

function checkNode(
  node: NodeId,
  { row }: Row,
  names: KnownNames,
  { report, nearest }: Diagnose,
  spot: Spot = row.spot,
): boolean {
  if (names.nodes.has(node)) return true;
  if (names.manifest.malformed.has('nodes')) return false;
  const near = nearest(node, names.nodes.keys());
  if (near !== null) names.presumed.add(near);
  report('RS2014', spot, { node, action: shownAction(row) }, { near });
  return false;
}

/** Looks up all targets of an action. Returns null if one doesn't exist. */
function checkAction(action: ParsedAction, at: Row, names: KnownNames, diagnose: Diagnose): Action | null {
  switch (action.kind) {
    case 'return':
    case 'halt':
      return action;
    case 'jump':
      return checkBlock('RS2013', action.target, at, names, diagnose) ? action : null;
    case 'call': {
      const known = checkNode(action.node, at, names, diagnose);
      const returns = action.returnTo === null || checkBlock('RS2015', action.returnTo, at, names, diagnose);
      return known && returns ? { ...action, returnTo: action.returnTo ?? at.block.next } : null;
    }
    case 'fork': {
      const first = action.nodes.map((node, index, nodes) => (nodes.indexOf(node) === index ? node : null));
      const unknown = first.filter(
        (node, index) => node !== null && !checkNode(node, at, names, diagnose, at.row.branchSpots?.[index]),
      );
      const returns = action.returnTo === null || checkBlock('RS2015', action.returnTo, at, names, diagnose);
      return unknown.length === 0 && returns ? { ...action, returnTo: action.returnTo ?? at.block.next } : null;
    }
  }
}

function warnOfReserved({ written }: ResolvedRow, { report }: Diagnose): void {
  if (written === null) return;
  for (const key of ['guard', 'bind_args'])
    if (has(written, key)) report('RS4003', { container: written, member: key, side: 'key' }, { key });
}

function meaningOf({ written }: ResolvedRow): Pick<Transition, 'means'> {
  const means = written === null ? null : readString(written, 'means');
  return means === null ? {} : { means };
}

const signalOf = ({ signal }: ResolvedRow): Signal | null => (isSignal(signal) ? signal : null);

interface ReadTransitions {
  readonly transitions: readonly Transition[];
  /** False if an edge has no target, or a row could not be read. */
  readonly complete: boolean;
}

/** Reads the transition table of a block and looks up every target. */
export function readTransitions(block: ResolvedBlock, names: KnownNames, diagnose: Diagnose): ReadTransitions {
  const transitions: Transition[] = [];
  block.rows.forEach((row, index) => {
    warnOfReserved(row, diagnose);
    const condition = row.condition === null ? null : readCondition(row.condition, names, diagnose);
    const action = checkAction(row.action, { block, row }, names, diagnose);
    const signal = signalOf(row);
    if (action !== null && signal !== null)
      transitions.push({ row: index, signal, condition, action, text: actionText(row.action), ...meaningOf(row) });
  });
  return { transitions, complete: block.complete && transitions.length === block.rows.length };
}
