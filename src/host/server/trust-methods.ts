import { loadManifest, manifestPath, isTrusted, rememberTrust, trustHash, listExecutables } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ProjectTrust } from '#protocol/host.ts';
import path from 'node:path';
import type { Methods } from './methods/methods.ts';
import { paramsOf, textOf } from './methods/read-params.ts';

interface TrustParts {
  /** The real path of the project. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

async function readTrust({ root, environment }: TrustParts): Promise<ProjectTrust> {
  const loaded = await loadManifest(path.join(root, await manifestPath(root)), { root });
  const executables = await listExecutables(loaded?.compilation.workflow?.graph ?? null, root);
  const hash = trustHash(root, executables);
  const trusted = executables.length === 0 || (await isTrusted(hash, environment));
  return { trusted, hash, executables: executables.map(({ what, command }) => ({ what, command })) };
}

/** Returns the methods by which the user trusts a project's manifest. */
export function trustMethods(parts: TrustParts): Methods<'trust.look' | 'trust.remember'> {
  return {
    'trust.look': () => readTrust(parts),
    'trust.remember': async (params) => {
      const given = textOf(paramsOf(params), 'hash', 64);
      const { hash } = await readTrust(parts);
      // The manifest has changed since the user saw it, so the trust is not stored.
      if (given !== hash) return { remembered: false };
      await rememberTrust(hash, parts.root, parts.environment);
      return { remembered: true };
    },
  };
}

/** Rejects unless the user has trusted the programs that the project's manifest runs. */
export async function checkTrust(parts: TrustParts): Promise<void> {
  const { trusted } = await readTrust(parts);
  if (trusted) return;
  const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
  throw new RoboSmithError('refused', message, { reason: 'not_trusted', next: ['robosmith ui --trust'] });
}
