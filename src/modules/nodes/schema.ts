import type { Builder } from '../../schema/builder.ts';
import { addAbci } from './abciSchema.ts';
import { addLive } from './liveSchema.ts';
import { addNetInfo } from './netInfoSchema.ts';
import { addStatus } from './statusSchema.ts';
import { addUpstream } from './upstreamSchema.ts';

/** Adds the upstream nodes: their health, status, peers and mempool, and raw application queries. */
export function addNodes(builder: Builder): void {
  addStatus(builder);
  addNetInfo(builder);
  addUpstream(builder);
  addAbci(builder);
  addLive(builder);
}
