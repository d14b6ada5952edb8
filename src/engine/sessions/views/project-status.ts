import { createGit } from '#io/git/plumbing/git.ts';
import { processes } from '#io/process/process.ts';
import { waitingSessions } from '#machines/session/waiting-sessions.ts';
import { isFinal } from '#protocol/run-status.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { projectRuns } from '../../durable/project.ts';
import { engineOwner } from '#io/engine-lock/engine-owner.ts';
import type { Environment } from '../watching/compare-here.ts';
import { projectSessions } from './list-sessions.ts';
import { otherProjects } from '../recovery/other-projects.ts';
import { concernsUs, isOfOtherProject } from '../recovery/plan-cleaning.ts';
import { waitingRuns } from './project-inbox.ts';
import { surveySessions } from '../recovery/survey-sessions.ts';

/** The status of a project. */
export interface ProjectStatus {
  /** Null if no process owns its engine. */
  readonly engine: {
    readonly kind: 'host' | 'process';
    readonly pid: number;
    /** The host name of the machine on which the engine's owner runs. */
    readonly host: string;
    readonly since: number;
  } | null;
  /** The number of entries in the inbox. */
  readonly waiting: number;
  readonly sessions: readonly SessionListing[];
  /** Runs outside of sessions that are running, halted, paused or interrupted, newest first. */
  readonly runs: readonly RunSummary[];
  /** The number of worktree problems; null if git can't be used. */
  readonly findings: number | null;
}

async function countFindings(root: string, sessions: readonly SessionListing[]): Promise<number | null> {
  const git = createGit(processes);
  const stored = sessions.map(({ session }) => session);
  const surveyed = await surveySessions(git, root, stored);
  if (!surveyed.ok) return null;
  const findings = surveyed.findings.filter((finding) => concernsUs(finding, surveyed));
  // Looked up only if something was found: the search for other projects takes a while in a large repository.
  if (findings.every(({ kind }) => kind !== 'zombie' && kind !== 'prunable')) return findings.length;
  const others = await otherProjects(git, root, surveyed.survey.listed);
  return findings.filter((finding) => !isOfOtherProject(finding, others)).length;
}

/** Only reads, so it works while another process owns the engine. */
export async function projectStatus(root: string, environment: Environment | null = null): Promise<ProjectStatus> {
  const owner = engineOwner(root);
  const sessions = await projectSessions(root, { environment });
  const summaries = projectRuns(root).flatMap((listing) => (listing.kind === 'run' ? [listing.summary] : []));
  const stored = sessions.map(({ session }) => session);
  const runs = waitingRuns(summaries, stored);
  const inSessions = new Set(sessions.flatMap(({ session }) => session.runs));
  return {
    engine:
      owner === null
        ? null
        : {
            kind: owner.socket === null || owner.isCommand === true ? 'process' : 'host',
            pid: owner.pid,
            host: owner.host,
            since: owner.since,
          },
    waiting:
      runs.reduce((sum, { halts }) => sum + halts.length, 0) +
      waitingSessions(stored, new Set(runs.map(({ run }) => run))).length,
    sessions,
    runs: summaries.filter(({ run, status }) => !inSessions.has(run) && !isFinal(status)),
    findings: await countFindings(root, sessions),
  };
}
