import type { CliIo } from '../terminal/cli-io.ts';
import { atLeast, fail, ok, type Check } from './check.ts';

const LEAST = '22.16.0';

export const checkNode = ({ nodeVersion }: CliIo): Check =>
  atLeast(nodeVersion, LEAST)
    ? ok('node', `Node ${nodeVersion}`)
    : fail('node', `Node ${nodeVersion}`, `RoboSmith needs Node ${LEAST} or newer.`);
