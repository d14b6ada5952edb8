import type { CliIo } from '../terminal/cli-io.ts';
import { printCall } from '../print/call.ts';
import { printJson } from '../print/json.ts';
import { findCall } from '../project/find-call.ts';
import { inProject } from '../project/in-project.ts';

export interface CallsShowOptions {
  readonly json?: true;
}

/** Prints one logged call: the segments of its prompt, its attempts and its answer. */
export const callsShow = (name: string, options: CallsShowOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const call = findCall(name, root);
    if (options.json === true) printJson({ ok: true, call }, io.stdout);
    else printCall(call, io);
    return 0;
  });
