import type { Fault, Said } from '../test/support/faults.ts';
import { startFaultServer } from '../test/support/fault-server.ts';

// The mock model server is a separate process, so that it takes no time from the measured process. It ends when its
// standard input closes.

const answers = JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, Fault | Said>>;
const server = await startFaultServer();
console.log(server.byKey(answers));
process.stdin.resume().on('end', () => void server.close());
