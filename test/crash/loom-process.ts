import { makePromisesDeadly } from './deadly-promises.ts';
import { createKillSwitch } from './kill-switch.ts';

/*
 * `loom-process.ts <folder> <operations> <kill at>`: applies operations, and kills itself before or after its n-th call that
 * changes a file, or when half of what is written is written. Without a number that is reached it says how many there were.
 */
const [, , folder = '', operations = '', killAt = '0'] = process.argv;
const { reach, points } = createKillSwitch(Number(killAt));
await makePromisesDeadly(reach);

const { applyEdits } = await import('#engine/authoring.ts');
const applied = await applyEdits(operations, folder, false);
process.stdout.write(JSON.stringify({ ok: applied.ok, points }));
