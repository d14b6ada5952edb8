import type { Response } from '#protocol/response.ts';

/** Holds the callers that wait for the run to settle, and its last settled state. */
export function createSettling() {
  let response: Response | null = null;
  let waiters: ((response: Response) => void)[] = [];
  return {
    isSettled: (): boolean => response !== null,
    reopen: (): void => {
      response = null;
    },
    settle: (as: Response): void => {
      response = as;
      for (const resolve of waiters.splice(0)) resolve(as);
    },
    settled: (): Promise<Response> =>
      response === null ? new Promise((resolve) => (waiters = [...waiters, resolve])) : Promise.resolve(response),
  };
}
