/** Every process of a step finds this in its environment, whatever group or session it moves to. */
const NAME = 'ROBOSMITH_PROCESS';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable with a mark; a RoboSmith that is run by a RoboSmith hands the outer marks on, so that the outer one finds all. */
export function markVariable(mark: string, parent: Environment): Readonly<Record<string, string>> {
  const outer = parent[NAME];
  return { [NAME]: outer === undefined || outer === '' ? mark : `${outer}:${mark}` };
}
