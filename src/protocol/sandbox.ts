import type { AgentName } from './approvals.ts';

/** How a process is sandboxed. It may always write to its worktree and to temporary folders, which end with it. */
export interface SandboxRequest {
  /** Whether the process reaches the network. Without it, it reaches only servers of its own on loopback. */
  readonly network: boolean;
  /**
   * Places of the program's own login and history, which it may read and write: absolute paths, or paths that begin
   * with `~` or with a variable such as `$CODEX_HOME`.
   */
  readonly state: readonly string[];
  /**
   * Folders of the program's own settings, written in the same way. It sees what is in them; what it changes there
   * outside of its state is forgotten, since it would take effect in later starts outside of a sandbox.
   */
  readonly settings?: readonly string[];
}

/** What makes sandboxes on a system: bubblewrap on Linux, `sandbox-exec` on macOS. */
export type SandboxMaker = 'bubblewrap' | 'seatbelt';

/** Whether this machine can make a sandbox, found out by making one. */
export type SandboxProbe =
  | {
      readonly ok: true;
      readonly maker: SandboxMaker;
      /** The agents that can't be sandboxed here, though other programs can. */
      readonly troubles: Readonly<Partial<Record<AgentName, SandboxTrouble>>>;
    }
  | ({ readonly ok: false } & SandboxTrouble);

/** Why something can't be sandboxed, and what the user can do about it. */
export interface SandboxTrouble {
  readonly problem: string;
  readonly advice: string;
}

/** Returns why a program can't be sandboxed on this machine, or null if it can. `agent`: its preset, if it has one. */
export function sandboxTrouble(probe: SandboxProbe, agent: AgentName | null): SandboxTrouble | null {
  if (!probe.ok) return probe;
  return agent === null ? null : (probe.troubles[agent] ?? null);
}

/** Absolute paths, without symbolic links, of places that exist. */
export interface PrivatePlaces {
  /** Files and folders that a sandboxed process must not read or write. */
  readonly hidden: readonly string[];
  /** Places that it may read, even inside of hidden ones. */
  readonly readable: readonly string[];
}
