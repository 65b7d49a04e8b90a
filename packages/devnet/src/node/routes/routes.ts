import { abciRoutes } from './abciRoutes.ts';
import { blockRoutes } from './blockRoutes.ts';
import { infoRoutes } from './infoRoutes.ts';
import type { RouteTable } from './route.ts';
import { txRoutes } from './txRoutes.ts';

/** The routes of all methods. */
export const routes: RouteTable = { ...infoRoutes, ...blockRoutes, ...txRoutes, ...abciRoutes };
