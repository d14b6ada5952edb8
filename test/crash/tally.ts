import type { History, Plan } from './history.ts';

const sorted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join('; ');

/** Counts the kills per place, because a crash suite that always hits the same place proves little. */
export function createTally() {
  const points = new Map<string, number>();
  const conducts = new Map<string, number>();
  const rows = new Map<string, number>();
  const cases = new Set<string>();
  let histories = 0;
  let kills = 0;
  let crowds = 0;
  let left = 0;
  let inFlight = 0;
  const add = (counts: Map<string, number>, name: string, more = 1): void =>
    void counts.set(name, (counts.get(name) ?? 0) + more);
  return {
    kills: (): number => kills,
    points: (): ReadonlyMap<string, number> => points,
    add: (plan: Plan, { wrecks, end }: History): void => {
      histories += 1;
      kills += wrecks.length;
      if (plan.cases.length > 1) crowds += 1;
      for (const { id } of plan.cases) cases.add(id);
      for (const { point } of wrecks) add(points, point);
      add(conducts, `${plan.place} ${plan.conduct}`, wrecks.length);
      add(rows, `${wrecks.length} in a row`);
      left += end.runs.filter(({ outcome }) => outcome === 'left').length;
      if (wrecks.some(({ point }) => point.startsWith('effect') || point.startsWith('worker'))) inFlight += 1;
    },
    lines: (): readonly string[] => [
      `${kills} kills in ${histories} histories of ${cases.size} cases; ${crowds} histories with several runs in one engine`,
      `kills by conduct: ${sorted(conducts)}`,
      `histories by kills: ${sorted(rows)}`,
      `kills by point: ${sorted(points)}`,
      `${inFlight} histories with a kill inside of a worker; ${left} runs were left to a person, as nobody else can know`,
    ],
  };
}
