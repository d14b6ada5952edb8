import { takeLeftTrees } from '#actors/process-register/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { killLeftTree } from '#io/process/process-group.ts';
import { liveness } from '#io/process/process-identity.ts';

/**
 * Ends processes that a killed engine left, before their step is executed again. Only entries of an engine that died on
 * this machine since its boot are trusted: state that came with a repository could otherwise name processes of the
 * user. A process is killed only if its start time matches as well as its id.
 */
export function endLeftProcesses(place: Place, warn: (message: string) => void): void {
  takeLeftTrees(place, ({ mark, engine, leader }) => {
    const life = engine === null ? 'dead' : liveness.isAlive(engine);
    if (engine === null || life !== 'dead') return life === 'dead';
    if (!liveness.isOfThisBoot(engine)) return true;
    const found = leader === null ? 'dead' : liveness.isAlive(leader);
    if (found === 'unknown') return false;
    const isSame = found === 'alive' && leader !== null && liveness.identify(leader.pid).started === leader.started;
    const killed = killLeftTree({ mark, pid: leader?.pid ?? null, isSame: isSame && leader.started !== null });
    if (killed > 0) warn(`${killed} processes of a step were still running after a crash, and were ended`);
    return true;
  });
}
