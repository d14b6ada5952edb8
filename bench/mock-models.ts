import type { Fault, Said } from '../test/support/faults.ts';
import { startFaultServer } from '../test/support/fault-server.ts';

// The mock server of models is a separate process, so that its work takes no time from the measured one. It ends with
// its standard input.

const answers = JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, Fault | Said>>;
const server = await startFaultServer();
console.log(server.byKey(answers));
process.stdin.resume().on('end', () => void server.close());
