import type { TestProject } from 'vitest/node';
import { testKeys } from './test-keys.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly testKeys: readonly string[];
  }
}

export default function provideKeys({ provide }: TestProject): void {
  provide('testKeys', testKeys());
}
