import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createColors } from 'picocolors';
import type { Item } from '#cli/console/item.ts';
import { firstModel } from '#cli/console/model.ts';
import { update } from '#cli/console/update.ts';
import { view } from '#cli/console/view.ts';
import { styleFor } from '#cli/print/style.ts';
import type { CliIo, Screen } from '#cli/terminal/cli-io.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, SessionId } from '#protocol/id.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import { COLUMNS, drawTerminal } from './docs/terminal-picture.ts';

/*
 * Draws docs/images/console.svg: what the console of `status --watch` displays for four sessions of a sample project.
 */

const ROWS = 20;
const NOW = 10_000_000;
const MINUTE = 60_000;

const HALT: WaitingHalt = {
  run: 'r642e1c646b6e' as RunId,
  session: 'sace33ee0' as SessionId,
  title: 'Log in by mail',
  node: 'Feature' as NodeId,
  steps: 5,
  halt_id: 'h1' as HaltId,
  block: 'Feature__Accept' as BlockId,
  frame: '/' as FramePath,
  why: 'manual',
  since: NOW - 12 * MINUTE,
  until: null,
  rejections_left: 2,
  answers: [],
};

const item = (key: string, run: string, minutes: number, more: Partial<Item>): Item => ({
  key,
  session: key as SessionId,
  run: run as RunId,
  title: key,
  group: 'running',
  state: 'running',
  place: '',
  since: NOW - minutes * MINUTE,
  halts: [],
  note: '',
  said: '',
  changes: null,
  cost: null,
  base: 'main',
  resumes: null,
  ...more,
});

const ITEMS: readonly Item[] = [
  item('sace33ee0', 'r642e1c646b6e', 12, {
    title: 'Log in by mail',
    group: 'waiting',
    state: 'waits',
    place: 'Accept',
    halts: [HALT],
    said: 'The form takes an address without a password.\nThe link in the mail works for 15 minutes.\n12 tests pass.',
    changes: { added: 112, deleted: 34, files: 6 },
    cost: { tokens: 0, microUsd: 84_200 },
  }),
  item('sb52bbc86', 'rd02888d03875', 3, {
    title: 'Correct the rounding',
    group: 'waiting',
    state: 'ready',
    said: '48 tests pass.',
    changes: { added: 3, deleted: 1, files: 2 },
    cost: { tokens: 0, microUsd: 12_300 },
  }),
  item('s4cdb2572', 'rc075d98fa083', 8, {
    title: 'Rework the cache of the compiler',
    place: 'Implement',
    said: 'Reading src/cache/store.ts',
    changes: { added: 48, deleted: 61, files: 4 },
    cost: { tokens: 0, microUsd: 131_000 },
  }),
  item('s51abf04f', 'rb3e647f9c304', 1, {
    title: 'Clean up the store',
    group: 'queued',
    state: 'queued',
    note: 'waits for Rework the cache of the compiler (s4cdb2572): src/cache/store.ts',
  }),
];

const screen: Screen = { isTerminal: true, columns: () => COLUMNS, write: () => undefined };
const io = { env: {}, platform: 'linux' } as unknown as CliIo;
const style = { ...styleFor(screen, io), paint: createColors(true) };
const engine = { kind: 'host', pid: 5325, host: 'localhost', since: NOW } as const;
const snapshot = { items: ITEMS, engine, over: 0, findings: 0, disk: null };
const empty = firstModel({ columns: COLUMNS, rows: ROWS }, NOW, { project: 'shop', hasKeys: true });
const [model] = update(empty, { kind: 'read', snapshot });
const target = join(import.meta.dirname, '..', 'docs/images/console.svg');
writeFileSync(target, drawTerminal(view(model, style).lines.join('\n'), 'The console of robosmith status --watch'));
console.log(target);
