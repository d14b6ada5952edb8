import { execFile } from 'node:child_process';
import { RoboSmithError } from '#protocol/error.ts';
import { asNode, type ProgramFiles } from '../window/program-files.ts';

/** The size limit in bytes of what the command line prints; a plan of 10,000 tasks has 3 MB. */
const MOST_BYTES = 64 * 1024 * 1024;

interface FailedCommand {
  readonly ok: false;
  readonly error: { readonly message: string; readonly next?: readonly string[] };
}

/** Adds `--json` before the arguments that are no options. */
export function withJson(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.toSpliced(end === -1 ? args.length : end, 0, '--json');
}

/** Runs `robosmith` with `--json` in a project and returns its document. Throws with the message of a refusal. */
export async function runTasks<Document>(
  root: string,
  { cli }: ProgramFiles,
  args: readonly string[],
): Promise<Document> {
  const printed = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [cli, '-C', root, ...withJson(args)],
      { env: asNode(process.env), maxBuffer: MOST_BYTES },
      (error, stdout, stderr) => {
        if (stdout.trim() !== '') resolve(stdout);
        else reject(new RoboSmithError('refused', stderr.trim() || (error?.message ?? 'RoboSmith printed nothing.')));
      },
    );
  });
  const document = JSON.parse(printed) as { readonly ok: true } | FailedCommand;
  if (!document.ok) throw new RoboSmithError('refused', document.error.message);
  return document as Document;
}
