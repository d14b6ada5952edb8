import { type ManifestView, manifestView, projectInbox, projectRuns, projectSessions } from '#engine/index.ts';
import type { InboxEntry, ManifestProblems, SessionTab, ViewChange } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { graphHash } from '../../wire/graph-hash.ts';
import { inboxEntries, tabsOf } from './tabs.ts';

/** Several changes within this time are covered by one refresh. */
const PAUSE_MS = 60;

export interface ProjectState {
  readonly tabs: () => readonly SessionTab[];
  readonly inbox: () => readonly InboxEntry[];
  readonly problems: () => ManifestProblems | null;
  /** The newest manifest without errors, with the problems of the current file. */
  readonly manifest: () => ManifestView | null;
  readonly listing: (session: string) => SessionListing | null;
  /** Resolves when everything was read once. */
  readonly ready: () => Promise<void>;
  /** Requests a refresh. */
  ask(): void;
  askManifest(): void;
}

interface ProjectStateParts {
  readonly root: string;
  readonly onChange: (changes: readonly ViewChange[]) => void;
  /** Called when the manifest has changed. */
  readonly onManifest: () => void;
  readonly log: (message: string) => void;
}

/** Maintains what views show of a project beside the open run: sessions, inbox, and the manifest with its problems. */
export function createProjectState({ root, onChange, onManifest, log }: ProjectStateParts): ProjectState {
  let [tabs, inbox]: [readonly SessionTab[], readonly InboxEntry[]] = [[], []];
  let listings: readonly SessionListing[] = [];
  let manifest: ManifestView | null = null;
  let first: Promise<void> | null = null;
  let isAsked = false;
  let isLooking = false;

  const look = async (): Promise<void> => {
    const [before, inboxBefore] = [JSON.stringify(tabs), JSON.stringify(inbox)];
    listings = await projectSessions(root);
    tabs = tabsOf(listings, projectRuns(root));
    inbox = inboxEntries(await projectInbox(root, listings), listings);
    const changes: ViewChange[] = [];
    if (JSON.stringify(tabs) !== before) changes.push({ kind: 'sessions', sessions: tabs });
    if (JSON.stringify(inbox) !== inboxBefore) changes.push({ kind: 'inbox', inbox });
    if (changes.length > 0) onChange(changes);
  };
  const lookAgain = async (): Promise<void> => {
    isLooking = true;
    while (isAsked) {
      isAsked = false;
      await look().catch((thrown: unknown) => log(`the sessions can't be shown: ${messageOf(thrown)}`));
    }
    isLooking = false;
  };
  const readManifest = async (): Promise<void> => {
    const before = JSON.stringify([manifest?.problems, manifest?.shown?.hash]);
    const read = await manifestView(root, graphHash);
    // If the manifest has errors, its last valid version stays visible.
    manifest =
      read !== null && read.graph === null && manifest !== null ? { ...manifest, problems: read.problems } : read;
    if (JSON.stringify([manifest?.problems, manifest?.shown?.hash]) === before) return;
    onChange([{ kind: 'problems', problems: manifest?.problems ?? null }]);
    onManifest();
  };
  const askManifest = (): void => {
    readManifest().catch((thrown: unknown) => log(`the manifest can't be shown: ${messageOf(thrown)}`));
  };
  return {
    tabs: () => tabs,
    inbox: () => inbox,
    problems: () => manifest?.problems ?? null,
    manifest: () => manifest,
    listing: (session) => listings.find((one) => one.session.id === session) ?? null,
    ready: () => {
      first ??= Promise.all([look(), readManifest()]).then(
        () => undefined,
        (thrown: unknown) => log(`the project can't be shown: ${messageOf(thrown)}`),
      );
      return first;
    },
    ask: () => {
      if (first === null || isAsked) return;
      isAsked = true;
      if (!isLooking) setTimeout(() => void lookAgain(), PAUSE_MS).unref();
    },
    askManifest,
  };
}
