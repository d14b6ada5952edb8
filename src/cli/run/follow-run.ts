import type { Response } from '#protocol/response.ts';
import { continuedBy, followInHost } from './follow-in-host.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { withClient } from './with-client.ts';

export type { RunToFollow } from './followed-run.ts';

/** Follows a run until it ends or waits for a person who can't be asked here. */
export async function followRunToEnd(followed: RunToFollow, audience: Audience): Promise<Response> {
  const { root, isOfSession } = followed;
  const { io, reporter } = audience;
  const reach = { io, warn: reporter.warn, inHost: isOfSession };
  const done = await withClient(root, reach, (client) => followInHost(client, followed, audience));
  if (!done.ok) return done.refusal;
  return done.host === null ? done.value : continuedBy(done.value, done.host);
}
