import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHostLink, createViewBridge, type HostClient, type HostLink } from '#host/client/index.ts';
import { loadManifest } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { toHost } from '../run/live-host.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { findViews } from '../ui/find-views.ts';
import { answerLocally } from '../ui/local-messages.ts';
import { openBrowser } from '../ui/open-browser.ts';
import { serveUi } from '../ui/serve-ui.ts';
import { makeStarter } from './init.ts';

export interface UiOptions {
  /** False: `--no-open`. */
  readonly open: boolean;
  readonly port?: string;
  readonly trust?: true;
  readonly json?: true;
}

function portOf(text: string | undefined): number {
  const port = text === undefined ? 0 : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw usageError(`"${text ?? ''}" is not a port.`, ['robosmith ui --help']);
}

/** Another program owns the engine: its runs are shown as soon as it has ended, or is a host. */
async function connect(root: string, io: CliIo): Promise<HostClient> {
  const found = await toHost(root, { spawn: true }, io);
  if (found.kind === 'connected') return found.client;
  throw new RoboSmithError(
    'host_failed',
    'Another process runs the engine without a host; its run is shown after it has ended.',
    {
      next: ['robosmith host status'],
    },
  );
}

async function askOnce(root: string, { trust }: UiOptions, io: CliIo): Promise<void> {
  const loaded = await loadManifest(path.join(root, '.vision', 'workflows.json'), { root });
  const trusted = await askTrust(loaded?.compilation.workflow?.graph ?? null, root, trust === true, io);
  if (!trusted) io.stderr.write("The browser can't start runs until you trust the project: robosmith ui --trust\n");
}

/** Shows Mission Control in a browser, until Ctrl-C. */
export const ui = (options: UiOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const port = portOf(options.port);
    const views = findViews();
    if (views === null) throw new RoboSmithError('io', 'The views are not built.', { next: ['npm run build'] });
    await askOnce(root, options, io);
    const log = (message: string): void => io.stderr.write(harmless(`${message}\n`));
    const link = createHostLink({ connect: () => connect(root, io), now: () => Date.now() });
    tellWhyLost(link, log);
    const project = path.basename(root);
    const createSample = async (): Promise<string> => {
      await makeStarter(root);
      return 'The sample is in .vision/workflows.json.';
    };
    const served = await serveUi({
      ...{ views, project, port },
      attend: (post) => {
        const local = (message: Parameters<typeof answerLocally>[0]) => answerLocally(message, root, createSample);
        const bridge = createViewBridge({ link, project, open: null, post, local, log, now: () => Date.now() });
        return { hear: bridge.hear, end: bridge.end };
      },
    });
    tell(served.address, options, io);
    if (options.open && !(await openBrowser(served.address, io.platform)))
      io.stderr.write('No browser could be opened. Open the URL yourself.\n');
    await interrupted(io);
    link.close();
    await served.close();
    return 0;
  });

function tell(address: string, { json }: UiOptions, io: CliIo): void {
  if (json === true) return printJson({ ok: true, address }, io.stdout);
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.bold('Mission Control')}  ${paint.cyan(address)}\n`);
  io.stderr.write('Keep this URL secret: it gives full control. Press Ctrl-C to stop; runs continue.\n');
}

/** Says once in the terminal why there is no host; the page only knows that there is none. */
function tellWhyLost(link: HostLink, log: (message: string) => void): void {
  let told = '';
  link.onState((state) => {
    const why = state.kind === 'lost' ? state.why : '';
    if (why !== '' && why !== told) log(why);
    told = why;
  });
}

/** A process without timers and sockets would end; this one waits for Ctrl-C. */
const FOREVER_MS = 2_147_483_647;

async function interrupted(io: CliIo): Promise<void> {
  const over = new AbortController();
  const stop = io.onInterrupt(() => over.abort());
  await setTimeout(FOREVER_MS, undefined, { signal: over.signal }).catch(() => undefined);
  stop();
}
