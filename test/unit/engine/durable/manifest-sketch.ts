import type { JsonObject } from '#protocol/json.ts';

/** A short notation of a block: actions by signal, and other fields. */
interface BlockSketch {
  readonly rows?: Readonly<Record<string, string>>;
  readonly worker?: string;
  readonly [field: string]: unknown;
}

type Nodes = Readonly<Record<string, Readonly<Record<string, BlockSketch>>>>;

const block = ({ rows = {}, worker = 'Worker:X', ...more }: BlockSketch) => ({
  worker,
  ...more,
  transitions: Object.entries(rows).map(([signal, action]) => ({ on_signal: `SIGNAL:${signal}`, action })),
});

/** Builds a manifest. The first block of each node is its entry. */
export const manifestOf = (nodes: Nodes, more: object = {}): JsonObject =>
  ({
    version: 1,
    entry: 'Main',
    workers: {
      'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' },
      'Worker:Fixer': { kind: 'ai', provider: 'openai', model: 'm' },
    },
    ...more,
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([name, blocks]) => [
        name,
        {
          entry_block: Object.keys(blocks)[0],
          blocks: Object.fromEntries(Object.entries(blocks).map(([id, sketch]) => [id, block(sketch)])),
        },
      ]),
    ),
  }) as unknown as JsonObject;

export const goes = (action: string): BlockSketch => ({ rows: { SUCCESS: action } });
export const returns = goes('RETURN');
