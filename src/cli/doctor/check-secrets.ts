import { existsSync } from 'node:fs';
import { userRulesFile } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownFromHome } from '../names/shown-path.ts';
import { ok, type Check } from './check.ts';

/** Reports the file with the user's exceptions to the rules for secrets. */
export function checkSecrets(io: CliIo): Check {
  const file = userRulesFile(io.env);
  const exceptions = existsSync(file) ? 'your exceptions are in' : 'you can write exceptions into';
  return ok('secrets', `.env*, keys and certificates stay on this machine; ${exceptions} ${shownFromHome(file, io)}`);
}
