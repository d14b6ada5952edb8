import path from 'node:path';
import { createHostLink, createViewBridge, type HostLink } from '#host/client/index.ts';
import { loadManifest, manifestPath } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { connectForPage, findViews, openPage, portOf, untilInterrupted } from '../ui/served-page.ts';
import { answerLocally } from '../ui/local-messages.ts';
import { serveUi } from '../ui/serve-ui.ts';
import { uiPage } from '../ui/ui-page.ts';
import { makeStarter } from './init.ts';

export interface UiOptions {
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly port?: string;
  readonly trust?: true;
  readonly json?: true;
}

async function askOnce(root: string, { trust }: UiOptions, io: CliIo): Promise<void> {
  const loaded = await loadManifest(path.join(root, await manifestPath(root)), { root });
  const trusted = await askTrust(loaded?.compilation.workflow?.graph ?? null, root, trust === true, io);
  if (!trusted) io.stderr.write("The browser can't start runs until you trust the project: robosmith ui --trust\n");
}

/** Shows Mission Control in a browser, until Ctrl-C. */
export const ui = (options: UiOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => showUi(root, null, options, io));

/** Shows Mission Control with this session selected; null selects a session that needs a person or is running. */
export async function showUi(root: string, session: SessionId | null, options: UiOptions, io: CliIo): Promise<number> {
  const port = portOf(options.port, 'ui');
  const views = findViews();
  if (views === null) throw new RoboSmithError('io', 'The views are not built.', { next: ['npm run build'] });
  await askOnce(root, options, io);
  const log = (message: string): void => io.stderr.write(harmless(`${message}\n`));
  const link = createHostLink({ connect: () => connectForPage(root, io), now: () => Date.now() });
  logWhyLost(link, log);
  const project = path.basename(root);
  const createSample = async (): Promise<string> => {
    await makeStarter(root);
    return 'The sample is in .vision/workflows.json.';
  };
  const served = await serveUi({
    views,
    port,
    page: (nonce: string) => uiPage(project, nonce),
    attend: (post) => {
      const local = (message: Parameters<typeof answerLocally>[0]) => answerLocally(message, root, createSample);
      const bridge = createViewBridge({ link, project, open: session, post, local, log, now: () => Date.now() });
      return { hear: bridge.hear, end: bridge.end };
    },
  });
  printAddress(served.address, options, io);
  if (options.open) await openPage(served.address, io);
  await untilInterrupted(io);
  link.close();
  await served.close();
  return 0;
}

function printAddress(address: string, { json }: UiOptions, io: CliIo): void {
  if (json === true) return printJson({ ok: true, address }, io.stdout);
  const { paint } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.bold('Mission Control')}  ${paint.cyan(address)}\n`);
  io.stderr.write('Keep this URL secret: it gives full control. Press Ctrl-C to stop; runs continue.\n');
}

/** Logs why the host can't be reached, once per reason. The page only shows that the host is missing. */
function logWhyLost(link: HostLink, log: (message: string) => void): void {
  let logged = '';
  link.onState((state) => {
    const why = state.kind === 'lost' ? state.why : '';
    if (why !== '' && why !== logged) log(why);
    logged = why;
  });
}
