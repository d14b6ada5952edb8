import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { verifies } from '../../e2e/verifies.ts';

const block = (fields: string): string => `{"worker":"Internal:Loom"${fields}}`;

const inNode = (blocks: string): string => `{"nodes":{"N":{"entry_block":"A","blocks":{"A":${block('')}${blocks}}}}}`;

const repeat = (times: number, make: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => make(index)).join('');

const MEGABYTE = 1_048_576;

const HOSTILE: Readonly<Record<string, () => string>> = {
  'a million values of the wrong type': () =>
    inNode(`,"B":${block(`,"payload_merge_strategy":[1${',1'.repeat(1_000_000)}]`)}`),
  'a key written 300,000 times': () => `{"x-a":1${',"x-a":1'.repeat(300_000)}}`,
  'a late key written 100,000 times': () =>
    `{${repeat(100_000, (i) => `"x-${i}":1,`)}"x-z":1${',"x-z":1'.repeat(100_000)}}`,
  '100,000 unknown keys': () => `{"x-a":1${repeat(100_000, (i) => `,"k${i}":1`)}}`,
  '20,000 blocks with unknown targets': () =>
    inNode(
      repeat(20_000, (i) => `,"B${i}":${block(`,"transitions":[{"on_signal":"SIGNAL:X","action":"JUMP:C${i}"}]`)}`),
    ),
  '20,000 blocks in a circle': () =>
    inNode(
      repeat(
        20_000,
        (i) =>
          `,"B${i}":${block(`,"transitions":[{"on_signal":"SIGNAL:FAIL_DEFAULT","action":"JUMP:B${(i + 1) % 20_000}"}]`)}`,
      ),
    ),
  '20,000 blocks that nothing reaches': () => inNode(repeat(20_000, (i) => `,"B${i}":${block('')}`)),
  'a chain of 20,000 nodes that extend each other': () =>
    `{"nodes":{"N0":{"entry_block":"A","blocks":{"A":${block('')}}}${repeat(20_000, (i) => `,"N${i + 1}":{"extend":"N${i}","blocks":{"B${i}":${block('')}}}`)}}}`,
  'a node of 20,000 blocks with 20,000 mixins': () =>
    `{"nodes":{"E":{},"N":{"entry_block":"A","mixins":["E"${',"E"'.repeat(20_000)}],"blocks":{"A":${block('')}${repeat(20_000, (i) => `,"B${i}":${block('')}`)}}}}}`,
  'a circle of 20,000 nodes that extend each other': () =>
    `{"nodes":{"N":{}${repeat(20_000, (i) => `,"N${i}":{"extend":"N${(i + 1) % 20_000}"}`)}}}`,
  '50 MB of blanks': () => ' '.repeat(50 * MEGABYTE),
  '50 MB in one contract': () => inNode(`,"B":${block(`,"contract":"${'x'.repeat(50 * MEGABYTE)}"`)}`),
  '50 MB of blocks': () => inNode(repeat(50 * 8_192, (i) => `,"B${i}":${block(`,"contract":"${'x'.repeat(80)}"`)}`)),
  'brackets without end': () => '['.repeat(5_000_000),
  'quotes without end': () => '"'.repeat(2_000_001),
  'open comments': () => '/*'.repeat(1_000_000),
  'a name of a million underscores': () => `{"nodes":{"${'_'.repeat(1_000_000)}":{}}}`,
  'an action of a million commas': () =>
    inNode(`,"B":${block(`,"transitions":[{"on_signal":"SIGNAL:X","action":"FORK:${','.repeat(1_000_000)}"}]`)}`),
};

// These inputs caused, or could cause, quadratic time or exhausted memory. Each takes some seconds at most; quadratic
// time would take many minutes.
test.each(Object.keys(HOSTILE))('%s', { timeout: 120_000 }, (name) => {
  verifies('manifest.validation.hostile-size');
  const text = HOSTILE[name]?.() ?? '';
  const { diagnostics } = compile([{ path: 'workflows.json', text }]);
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(diagnostics.length).toBeLessThanOrEqual(2001);
});
