import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SandboxProbe, SandboxTrouble } from '#protocol/sandbox.ts';
import { findProgram, searchEnvironment } from '../process/find-program.ts';
import { NAMESPACES, NO_NETWORK } from './bubblewrap.ts';
import { seatbeltProfile } from './seatbelt.ts';

/** A probe, with the program that makes the sandboxes. */
type FoundMaker = SandboxProbe & { readonly file?: string };

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

const PROBE_MS = 20_000;

const run = promisify(execFile);

/** Runs a program that does nothing in a sandbox. Returns the last line of its error output, or null if it worked. */
async function failureOf(file: string, args: readonly string[]): Promise<string | null> {
  try {
    await run(file, args, { timeout: PROBE_MS, cwd: '/' });
    return null;
  } catch (thrown) {
    const text = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr).trim() : '';
    return text.split('\n').at(-1)?.slice(0, 300) || 'it ended with an error';
  }
}

const search = async (program: string): Promise<string | null> => {
  const found = await findProgram(program, '/', searchEnvironment(process.env, process.platform));
  return 'file' in found ? found.file : null;
};

const INSTALL = 'Install it: apt install bubblewrap socat (Fedora: dnf install, Arch: pacman -S).';

const NO_RELAY: SandboxTrouble = {
  problem: 'claude needs the program `socat` for its sandbox, and it was not found',
  advice: INSTALL,
};

/** codex makes a sandbox of its own inside of the wrapper, which keeps its commands from the network. */
const NO_NESTING: SandboxTrouble = {
  problem: "codex can't make its own sandbox inside of another one here",
  advice: 'Run RoboSmith as an ordinary user on Linux, or write `"approvals": "edit"`.',
};

async function probeLinux(): Promise<FoundMaker> {
  const file = await search('bwrap');
  if (file === null) return { ok: false, problem: 'the program `bwrap` (bubblewrap) was not found', advice: INSTALL };
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
  const failure = await failureOf(file, [...NAMESPACES, NO_NETWORK, ...mounts, '--', '/bin/sh', '-c', ':']);
  if (failure !== null)
    return {
      ok: false,
      problem: `bubblewrap can't make a sandbox on this machine: ${failure}`,
      advice: 'Allow user namespaces for it: docs/guides/sandbox.md says how, for systems and containers.',
    };
  const inner = [file, '--unshare-user', NO_NETWORK, '--ro-bind', '/', '/', '--', '/bin/sh', '-c', ':'];
  const nests = (await failureOf(file, [...NAMESPACES, ...mounts, '--', ...inner])) === null;
  const hasRelay = (await search('socat')) !== null;
  const troubles = { ...(hasRelay ? {} : { claude: NO_RELAY }), ...(nests ? {} : { codex: NO_NESTING }) };
  return { ok: true, maker: 'bubblewrap', file, troubles };
}

async function probeMac(): Promise<FoundMaker> {
  const profile = seatbeltProfile({ network: false, hidden: [], readable: [], writable: [], pinned: [] });
  const failure = await failureOf(SANDBOX_EXEC, ['-p', profile, '/usr/bin/true']);
  if (failure === null) return { ok: true, maker: 'seatbelt', file: SANDBOX_EXEC, troubles: { codex: NO_NESTING } };
  return {
    ok: false,
    problem: `sandbox-exec can't make a sandbox on this machine: ${failure}`,
    advice: 'Use `"approvals": "edit"`, or run the project on Linux.',
  };
}

function probe(): Promise<FoundMaker> {
  if (process.platform === 'linux') return probeLinux();
  if (process.platform === 'darwin') return probeMac();
  return Promise.resolve({
    ok: false,
    problem: 'RoboSmith knows no sandbox for this system',
    advice: 'Use `"approvals": "edit"`, or run the project in WSL 2 or a container.',
  });
}

let probed: Promise<FoundMaker> | null = null;

/** Finds what makes sandboxes here by making one. Only the first call of this process tries; later ones share its result. */
export const findSandboxMaker = (): Promise<FoundMaker> => (probed ??= probe());
