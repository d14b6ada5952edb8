import { openEngine } from '#engine/open/open-engine.ts';
import type { Told } from './job.ts';

/** The engine that this process owns, or null. */
let held: { close(): void } | null = null;

/** Acquires the engine of a project folder. If this process already owns it, releases it instead. */
export function holdEngine(root: string): Told {
  if (held !== null) {
    held.close();
    held = null;
    return { kind: 'claimed', owner: null };
  }
  const warnings: string[] = [];
  const opened = openEngine(root, { warn: (message) => void warnings.push(message) });
  if (warnings.length > 0) return { kind: 'threw', message: warnings.join('\n') };
  if (!opened.ok) return { kind: 'claimed', owner: opened.owner.pid };
  held = opened.engine;
  return { kind: 'claimed', owner: process.pid };
}
