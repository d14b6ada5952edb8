import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withEngine } from '#cli/run/with-engine.ts';
import { openEngine } from '#engine/index.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-with-engine-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const warn = (): void => undefined;

test('a host that lets go of the engine while it is asked for that is in nobody’s way', async () => {
  const owner = openEngine(root, { warn, socket: path.join(root, 'host.sock') });
  if (!owner.ok) throw new Error('somebody else has the engine');
  const asked = withEngine(root, warn, () => 'worked');
  owner.engine.close();
  expect(await asked).toEqual({ ok: true, value: 'worked' });
});

test('an owner that listens nowhere is told of', async () => {
  const owner = openEngine(root, { warn });
  if (!owner.ok) throw new Error('somebody else has the engine');
  const asked = await withEngine(root, warn, () => 'worked');
  owner.engine.close();
  expect(asked).toMatchObject({ ok: false, refusal: { reason: 'engine_busy', details: { pid: process.pid } } });
});
