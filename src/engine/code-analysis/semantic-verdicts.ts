import type { RMcpServerManager } from '#actors/code-analysis/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import type { ClashLine, FoundClash, SemanticVerdicts } from '#protocol/semantic-clash.ts';

const textIn = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === 'string' ? value : '';
};

function readLine(value: JsonValue | undefined): ClashLine | null {
  if (!isObject(value)) return null;
  const { line } = value;
  return { file: textIn(value, 'file'), line: typeof line === 'number' ? line : 1, text: textIn(value, 'text') };
}

function readClash(value: JsonValue): readonly FoundClash[] {
  if (!isObject(value)) return [];
  const [change, use] = [readLine(value['change']), readLine(value['use'])];
  if (change === null || use === null) return [];
  const isOurs = isObject(value['change']) && value['change']['branch'] === 'ours';
  const words = { kind: textIn(value, 'kind'), name: textIn(value, 'name'), why: textIn(value, 'why') };
  return [{ ...words, changer: isOurs ? 'ours' : 'theirs', change, use }];
}

/** The time limit of a comparison in milliseconds. A result that takes longer would come too late to be useful. */
const COMPARE_MS = 120_000;

/** The maximum number of clashes per pair of sessions. People don't read more. */
const MOST = 50;

/** Asks the analysis server of a worktree about two commits of its repository. */
export function semanticVerdicts(servers: Pick<RMcpServerManager, 'call'>): SemanticVerdicts {
  /** Pairs of commits of which only a part of the files can be compared. They are not compared again. */
  const partial = new Set<string>();
  return {
    compare: async (worktree, ours, theirs) => {
      if (partial.has(`${ours} ${theirs}`)) return null;
      const query = { tool: 'compare_changes', args: { ours, theirs, max_results: MOST } };
      try {
        const answer = await servers.call(worktree, query, AbortSignal.timeout(COMPARE_MS));
        const found = answer.ok ? answer.data['clashes'] : undefined;
        if (!answer.ok || !Array.isArray(found)) return null;
        // Without a clash, a comparison of only a part of the files is no verdict.
        if (found.length === 0 && answer.data['not_compared_total'] !== 0) {
          partial.add(`${ours} ${theirs}`);
          return null;
        }
        return found.flatMap((one: JsonValue) => readClash(one));
      } catch {
        return null;
      }
    },
  };
}
