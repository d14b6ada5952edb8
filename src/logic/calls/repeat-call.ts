import type { AiRequest } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import { chatOf, type Prompt, type PromptSegment } from '#protocol/prompt.ts';

/** A segment of an edited prompt. */
export type EditedSegment = Omit<PromptSegment, 'tokens'>;

/** Changes to a logged request. Absent properties keep their logged value. */
export interface RequestChanges {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly baseUrl?: string | null;
  readonly temperature?: number | null;
  readonly maxOutputTokens?: number | null;
  /** The new prompt. */
  readonly segments?: readonly EditedSegment[];
  /** Replaces the whole system message. */
  readonly instructions?: string;
  /** Replaces the last user segment that is not in layer 5. */
  readonly message?: string;
}

type Repeated =
  | { readonly ok: true; readonly order: AiOrder }
  /**
   * `redacted`: the request contained a key. `empty`: no message is left. `agent`: an agent's execution can't be sent
   * again.
   */
  | { readonly ok: false; readonly why: 'redacted' | 'empty' | 'agent' };

/** The text that a redactor puts in place of a key. */
const HIDDEN = '[key]';

const counted = (segment: EditedSegment): PromptSegment => ({ ...segment, tokens: estimateTokens(segment.text) });

function withInstructions(segments: readonly EditedSegment[], text: string): readonly EditedSegment[] {
  const others = segments.filter(({ role }) => role !== 'system');
  return [{ layer: 2, name: 'instructions', role: 'system', text }, ...others];
}

function withMessage(segments: readonly EditedSegment[], text: string): readonly EditedSegment[] {
  const at = segments.findLastIndex(({ role, layer }) => role === 'user' && layer !== 5);
  const message: EditedSegment = { layer: 1, name: 'message', role: 'user', text };
  return at === -1 ? [...segments, message] : segments.with(at, { ...message, name: segments[at]?.name ?? 'message' });
}

function segmentsOf({ request }: CallRecord, changes: RequestChanges): readonly PromptSegment[] {
  let segments: readonly EditedSegment[] = changes.segments ?? request.segments;
  if (changes.instructions !== undefined) segments = withInstructions(segments, changes.instructions);
  if (changes.message !== undefined) segments = withMessage(segments, changes.message);
  return segments === request.segments ? request.segments : segments.map(counted);
}

function promptOf(record: CallRecord, segments: readonly PromptSegment[]): Prompt {
  const sum = (layer: number): number => segments.reduce((all, one) => all + (one.layer === layer ? one.tokens : 0), 0);
  return { segments, cut: record.request.cut, tokens: [sum(1), sum(2), sum(3), sum(4), sum(5)] };
}

function requestOf({ request }: CallRecord, changes: RequestChanges, segments: readonly PromptSegment[]): AiRequest {
  const { limits, stream, schema } = request;
  const baseUrl = changes.baseUrl === undefined ? request.base_url : changes.baseUrl;
  return {
    ...chatOf(segments),
    provider: changes.provider ?? request.provider,
    model: changes.model ?? request.model,
    baseUrl,
    schema,
    temperature: changes.temperature === undefined ? request.temperature : changes.temperature,
    maxOutputTokens: changes.maxOutputTokens === undefined ? request.max_output_tokens : changes.maxOutputTokens,
    ...(stream ? {} : { stream }),
    limits: limits ?? { firstTokenMs: 600_000, idleMs: 60_000, totalMs: 1_800_000 },
  };
}

/**
 * Creates a request that repeats a logged call, unchanged or edited. It belongs to no run, so it is charged to no run's
 * budget. It has its own conversation, so it does not use the key of another conversation.
 */
export function repeatCall(record: CallRecord, changes: RequestChanges): Repeated {
  if (record.agent !== undefined) return { ok: false, why: 'agent' };
  const segments = segmentsOf(record, changes);
  const request = requestOf(record, changes, segments);
  if (record.request.redacted === true && segments.some(({ text }) => text.includes(HIDDEN)))
    return { ok: false, why: 'redacted' };
  if (request.messages.length === 0) return { ok: false, why: 'empty' };
  const { call, node, block, pool } = record;
  const sameKeys = changes.provider === undefined && changes.baseUrl === undefined;
  return {
    ok: true,
    order: {
      conversation: `rerun/${call}`,
      pool: sameKeys ? pool : null,
      place: { run: null, session: null, task: null, node, block, visit: null, attempt: null, step: null },
      request,
      prompt: promptOf(record, segments),
      origin: call,
      ...(record.request.rules === undefined ? {} : { rules: record.request.rules }),
    },
  };
}
