import { openEngine } from '#engine/open/open-engine.ts';
import type { LandingOrder } from '#protocol/landing-report.ts';

/* `landing-process <root> [name...]`: lands branches, or goes on with a landing. Prints the report, or the refusal. */

const [root = '', ...names] = process.argv.slice(2);
const opened = openEngine(root, { warn: () => undefined });
if (!opened.ok) throw new Error('the engine of a dead process is not to be had');
const { engine } = opened;
const { landing } = await engine.sessions({ runStarter: null, mayStart: () => true });
const order: LandingOrder = { names, all: false, maxRuns: 20, environment: null };
const printed = await landing.start(order, new AbortController().signal, () => undefined).catch(String);
engine.close();
process.stdout.write(`${JSON.stringify(printed)}\n`);
process.exit(0);
