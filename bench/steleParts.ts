import { type Client, createClient } from '../src/chain/client.ts';
import { createLightClient } from '../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../src/chain/lightClient/verifiedNodes.ts';
import type { Tracer } from '../src/chain/tracing/tracer.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';

/** The client of a server that is measured. `verify`: a value of `--verify`. */
export function benchClient(node: string, verify: string, tracer?: Tracer): Client {
  const light = verify === 'off' ? undefined : createLightClient({ followsResets: true });
  const upstream = fallback(light === undefined ? [http(node)] : verifiedNodes(light, [http(node)]));
  return createClient({
    // With STELE_BENCH_RANGES=off, answers depend on the roots of whole stores.
    followsRanges: process.env.STELE_BENCH_RANGES !== 'off',
    transport: light === undefined ? upstream : { ...upstream, verification: { ...light, provesReads: verify === 'reads' } },
    light,
    tracer,
  });
}

/** The limits of a server that is measured: the whole load comes from one address. */
export const benchLimits = {
  'http.connectionsPerAddress': 0,
  'rate.points': 0,
  'rate.concurrent': 0,
  'rate.counts': 0,
  'rate.failedAuthentications': 0,
  'socket.connections': 0,
  'subscriptions.caller': 0,
  'subscriptions.process': 0,
  'socket.idle': 600_000,
} as const;
