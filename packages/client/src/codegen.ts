import { preset as clientPreset } from '@graphql-codegen/client-preset';

/** The TypeScript type of each scalar of the schema. docs/scalars.md says what each one is. */
export const scalars = {
  Base64: 'string',
  DateTime: 'string',
  Decimal: 'string',
  Duration: 'string',
  Hex: 'string',
  ID: { input: 'string | number', output: 'string' },
  Int64: { input: 'string | number', output: 'string' },
  UInt64: { input: 'string | number', output: 'string' },
  JSON: 'unknown',
} as const;

/** The configuration of the preset `client` that {@link preset} has by default. */
const config = {
  documentMode: 'string',
  enumsAsTypes: true,
  useTypeImports: true,
  skipTypename: true,
  avoidOptionals: { field: true },
  strictScalars: true,
};

/**
 * A preset of GraphQL Code Generator: its preset `client`, with the scalars of Stele, documents as strings and no fragment masking. `config` and
 * `presetConfig` override it.
 */
export const preset: typeof clientPreset = {
  ...clientPreset,
  buildGeneratesSection: (options) =>
    clientPreset.buildGeneratesSection({
      ...options,
      presetConfig: { fragmentMasking: false, ...options.presetConfig },
      config: { ...config, ...options.config, scalars: { ...scalars, ...options.config.scalars } },
    }),
};
