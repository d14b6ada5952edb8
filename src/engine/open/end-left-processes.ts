import { takeLeftTrees } from '#actors/process-register/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { killLeftTree } from '#io/process/process-group.ts';
import { liveness } from '#io/process/process-identity.ts';

/**
 * Ends what an engine that was killed had running, before its step is executed again beside it. Only an entry of an engine that died
 * on this machine since it was started is believed: state that came with a repository would otherwise name processes of the user. By
 * its number a process is killed only where its start is known and the same.
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
