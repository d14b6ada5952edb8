/** Every process of a step finds this in its environment, whatever group or session it moves to. */
const NAME = 'ROBOSMITH_PROCESS';

/** Says whether a process was started with this mark; `environment` as Linux tells it, each variable ended by a NUL. */
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

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable with a mark; a RoboSmith that is run by a RoboSmith hands the outer marks on, so that the outer one finds all. */
export function markVariable(mark: string, parent: Environment): Readonly<Record<string, string>> {
  const outer = parent[NAME];
  return { [NAME]: outer === undefined || outer === '' ? mark : `${outer}:${mark}` };
}
