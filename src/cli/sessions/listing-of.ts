import { projectSessions } from '#engine/index.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { findSession } from './find-session.ts';

/** A session beside all others, by what a person calls it. */
export async function listingOf(name: string, root: string): Promise<SessionListing | null> {
  const listings = await projectSessions(root);
  const { id } = findSession(
    name,
    listings.map(({ session }) => session),
  );
  return listings.find(({ session }) => session.id === id) ?? null;
}
