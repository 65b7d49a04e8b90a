import type { Param } from '../../chain/rpc/args.ts';
import { abciRoutes } from './abciRoutes.ts';
import { blockRoutes } from './blockRoutes.ts';
import { infoRoutes } from './infoRoutes.ts';
import type { RouteTable } from './route.ts';
import { txRoutes } from './txRoutes.ts';

/** Every method that POST, URI and WebSocket have. */
export const routes: RouteTable = { ...infoRoutes, ...blockRoutes, ...txRoutes, ...abciRoutes };

/** The methods that only a WebSocket has, with their arguments. */
export const socketRoutes: Readonly<Record<string, readonly Param[]>> = {
  subscribe: [{ name: 'query', type: 'string' }],
  unsubscribe: [{ name: 'query', type: 'string' }],
  unsubscribe_all: [],
};
