import { abciRoutes } from './abciRoutes.ts';
import { blockRoutes } from './blockRoutes.ts';
import { infoRoutes } from './infoRoutes.ts';
import type { RouteTable } from './route.ts';
import { txRoutes } from './txRoutes.ts';

/** What answers every method that POST, URI and WebSocket have. */
export const routes: RouteTable = { ...infoRoutes, ...blockRoutes, ...txRoutes, ...abciRoutes };
