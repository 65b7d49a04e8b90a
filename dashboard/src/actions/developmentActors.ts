/** Accounts of the embedded chain that its own actors leave alone. Their keys are public: docs/development-chain.md. */
export const developmentActors = [
  { id: '8', address: 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk' },
  { id: '9', address: 'tp1pp4t0t9l9gcucvzc0gh2hs4w6eaxhcawhjy7ut' },
] as const;
