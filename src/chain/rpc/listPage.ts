import { rpcMethods, socketMethods } from './methods.ts';

/**
 * The page that a node returns at its root: a link to each method with its arguments. `root` is the host as the client named
 * it, plus the path of the root.
 */
export function listPage(root: string): string {
  const safe = root.replace(/[^\w.:[\]/-]/g, '');
  const all = [
    ...Object.entries(rpcMethods).map(([name, { params }]) => [name, params] as const),
    ...Object.entries(socketMethods),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const links = all.map(([name, params]) => {
    const link = `//${safe}/${name}?${params.map((param) => `${param.name}=_`).join('&')}`;
    return `<a href="${link}">${link}</a></br>`;
  });
  return `<html><body><br>Available endpoints:<br><br>Endpoints that require arguments:<br>${links.join('')}</body></html>`;
}
