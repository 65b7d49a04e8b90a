/** The modules that the development chain can do without, by name. */
export const devnetModules = [
  'attribute',
  'authz',
  'distribution',
  'feegrant',
  'flatfees',
  'gov',
  'group',
  'hold',
  'marker',
  'metadata',
  'mint',
  'name',
  'slashing',
  'staking',
  'wasm',
] as const;

/** A module that the development chain can do without. */
export type DevnetModule = (typeof devnetModules)[number];
