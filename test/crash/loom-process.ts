import { makePromisesDeadly } from './deadly-promises.ts';
import { createKillSwitch } from './kill-switch.ts';

/*
 * `loom-process.ts <folder> <operations> <kill at>`: applies edit operations, and kills itself before or after its n-th
 * call that changes a file, or in the middle of a write. If the process survives, it prints the kill points that it
 * passed.
 */
const [, , folder = '', operations = '', killAt = '0'] = process.argv;
const { reach, points } = createKillSwitch(Number(killAt));
await makePromisesDeadly(reach);

const { applyEdits } = await import('#engine/authoring.ts');
const applied = await applyEdits(operations, folder, false);
process.stdout.write(JSON.stringify({ ok: applied.ok, points }));
