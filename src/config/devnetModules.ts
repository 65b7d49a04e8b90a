/** The modules that the development chain can do without, by name. */
export const devnetModules = [
  'attribute',
  'authz',
  'feegrant',
  'flatfees',
  'group',
  'hold',
  'marker',
  'metadata',
  'name',
] as const;

/** A module that the development chain can do without. */
export type DevnetModule = (typeof devnetModules)[number];
