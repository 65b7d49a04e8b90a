/** The content of an element `meta` that the server writes into the page. undefined if there is none. */
const written = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="dashboard-${name}"]`)?.content;

/** The name of the dashboard: `--dashboard-name` of the server. */
export const dashboardName = written('name') ?? 'Stele';

/** Whether the server has a logo of its own: `--dashboard-logo`. */
export const hasOwnLogo = written('logo') !== undefined;

/** The path of the first page: `--dashboard-start`. */
export const startPath = written('start') ?? '/';

const offSections = new Set(written('off')?.split(','));

/** Whether the server leaves a section out: `--dashboard-off`. `path` is that of the section, such as `/groups`. */
export const isOff = (path: string): boolean => offSections.has(path === '/' ? 'home' : path.slice(1));
