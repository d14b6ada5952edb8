import { access, constants } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The environment variable by which the user chooses the program: an absolute path, or `off`. A manifest can't set it.
 */
const PROGRAM_SETTING = 'ROBOSMITH_ROBERTO_MCP';

export type ServerProgram =
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[]; readonly env: Environment }
  /** `message` says why there is no program, and what to do. */
  | { readonly kind: 'none'; readonly message: string };

type Environment = Readonly<Record<string, string>>;

/** The facts about this installation on which the choice depends, besides the user's setting. */
interface ProgramPlace {
  /** The folder of the package, which contains `bin`. */
  readonly home: string;
  /** The path of the bundled server, which `node` runs. */
  readonly bundled: string;
  readonly platform: string;
  readonly arch: string;
  readonly node: string;
  /** True in VS Code's own Node, which runs scripts only with `ELECTRON_RUN_AS_NODE`. */
  readonly isElectron: boolean;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** Returns the folder of the package. The source files are one folder deeper in it than the bundles. */
function homeOf(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return path.resolve(HERE, isSource ? '../../..' : '../..');
}

function bundledIn(home: string): string {
  const built = path.join(home, 'dist', 'roberto-mcp', 'main.js');
  const source = path.join(home, 'src', 'roberto-mcp', 'main.ts');
  return import.meta.url.endsWith('.ts') && existsSync(source) ? source : built;
}

export function programPlace(): ProgramPlace {
  const { platform, arch, execPath: node } = process;
  const home = homeOf();
  const isElectron = process.versions['electron'] !== undefined;
  return { home, bundled: bundledIn(home), platform, arch, node, isElectron };
}

const canExecute = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Bounds the garbage that the server's V8 collects late: 25 MB less resident memory in an idle server. */
const SMALL_HEAP = ['--max-semi-space-size=2'];

/** Returns the path of a native server that uses the same protocol. */
const nativeProgram = ({ home, platform, arch }: ProgramPlace): string =>
  path.join(home, 'bin', `${platform}-${arch}`, platform === 'win32' ? 'roberto-mcp.exe' : 'roberto-mcp');

async function chosen(setting: string): Promise<ServerProgram> {
  if (setting === 'off') return { kind: 'none', message: `${PROGRAM_SETTING}=off turns code analysis off` };
  if (!path.isAbsolute(setting))
    return { kind: 'none', message: `${PROGRAM_SETTING} must be an absolute path or "off", not ${setting}` };
  if (await canExecute(setting)) return { kind: 'program', file: setting, args: [], env: {} };
  return { kind: 'none', message: `${PROGRAM_SETTING} is ${setting}, which is not an executable program` };
}

/**
 * Chooses the program of the analysis server: the user's setting, else the native build of this platform, else the
 * bundled server with the current Node.
 */
export async function findServerProgram(
  environment: Readonly<Record<string, string | undefined>>,
  place: ProgramPlace = programPlace(),
): Promise<ServerProgram> {
  const setting = environment[PROGRAM_SETTING]?.trim() ?? '';
  if (setting !== '') return chosen(setting);
  const native = nativeProgram(place);
  if (await canExecute(native)) return { kind: 'program', file: native, args: [], env: {} };
  const { bundled, node, isElectron } = place;
  if (!existsSync(bundled))
    return { kind: 'none', message: `the analysis server ${bundled} is missing. Reinstall RoboSmith` };
  return {
    kind: 'program',
    file: node,
    args: [...SMALL_HEAP, bundled],
    env: isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {},
  };
}
