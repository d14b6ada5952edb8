import { openEngine } from '#engine/index.ts';
import { type WorkWatcher, workOn } from '#cli/tasks/work-on.ts';
import { fileCalls } from '#io/file-calls.ts';
import { fakeIo } from '../unit/cli/fake-io.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import { createKillSwitch } from './kill-switch.ts';

/* `robosmith work --trust` in a process that ends itself at one write of the task tree, or of the intents: the second argument counts them. */

const [root = '', killAt = ''] = process.argv.slice(2);
const { reach, points } = createKillSwitch(killAt === '' ? null : Number(killAt));
const calls = deadlyFileCalls(fileCalls, (point, first) => {
  if (/^(?:tasks|intents) /.test(point)) reach(point, first);
});

const silent: WorkWatcher = {
  notices: () => null,
  beforeSaving: () => Promise.resolve(null),
  begins: () => undefined,
  takesOver: () => undefined,
  unsafe: () => 1,
  saved: () => undefined,
  settled: () => undefined,
  isInterrupted: () => false,
};

const nothing = (): void => undefined;

const opened = openEngine(root, { warn: nothing, calls });
if (!opened.ok) throw new Error('the engine is busy');
const { engine } = opened;
const io = fakeIo({ cwd: root, env: process.env });
const reporter = { started: nothing, event: nothing, refused: nothing, warn: nothing, asking: nothing, ended: nothing };
const parts = { engine, root, directory: root, trusting: '', flags: { trust: true as const, json: true as const }, io };
const worked = await workOn({ ...parts, reporterFor: () => reporter }, false, silent);
engine.close();
process.stdout.write(`${JSON.stringify({ worked, points })}\n`);
