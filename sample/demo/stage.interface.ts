/** Where the demo plays: three processes and a Redis, or three applications in this one. */
import type { HistoryEvent } from '../../lib/index.js';

export const NODES: readonly string[] = ['A', 'B', 'C'];

export interface Stage {
  /** What the reader should know about it, each a line. */
  readonly intro: readonly string[];
  /** How a node is ended without warning, and how politely: words for the timeline and for the summary. */
  readonly crashing: { readonly label: string; readonly since: string };
  readonly leaving: { readonly label: string; readonly since: string };
  start(audience: Audience): Promise<void>;
  /** The instant, on the shared clock, right before it happened. */
  crash(node: string): number;
  leave(node: string): number;
  /** Leaves nothing behind. Never rejects. */
  close(): Promise<void>;
}

export interface Audience {
  event(event: HistoryEvent): void;
}
