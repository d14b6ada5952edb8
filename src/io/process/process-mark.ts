/**
 * The environment variable that marks every process of a step, even if the process moves to another process group or
 * session.
 */
const NAME = 'ROBOSMITH_PROCESS';

/**
 * Returns whether a process was started with this mark. `environment` is the content of `/proc/<pid>/environ`:
 * variables, each ended by NUL.
 */
export function carriesMark(environment: string, mark: string): boolean {
  const found = environment.split('\0').find((variable) => variable.startsWith(`${NAME}=`));
  return (
    found !== undefined &&
    found
      .slice(NAME.length + 1)
      .split(':')
      .includes(mark)
  );
}

/** Returns whether a process was started by any step, or by a process of one. */
export const isMarked = (environment: string): boolean =>
  environment.split('\0').some((variable) => variable.startsWith(`${NAME}=`) && variable.length > NAME.length + 1);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variable with a mark. If a RoboSmith process starts another one, the outer marks are kept, so that the
 * outer one still finds all its processes.
 */
export function markVariable(mark: string, parent: Environment): Readonly<Record<string, string>> {
  const outer = parent[NAME];
  return { [NAME]: outer === undefined || outer === '' ? mark : `${outer}:${mark}` };
}
