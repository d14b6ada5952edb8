import { projectSessions } from '#engine/index.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { findSession } from './find-session.ts';

/** Finds a session by id, title or branch, and returns it with its relations to the other sessions. */
export async function listingOf(name: string, root: string): Promise<SessionListing | null> {
  const listings = await projectSessions(root);
  const { id } = findSession(
    name,
    listings.map(({ session }) => session),
  );
  return listings.find(({ session }) => session.id === id) ?? null;
}
