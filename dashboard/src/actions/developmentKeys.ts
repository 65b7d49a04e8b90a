/**
 * Private keys of accounts 8 and 9 of the public development mnemonic (docs/development-chain.md). Everybody has them: they are for the embedded
 * chain alone.
 */
export const developmentKeys = {
  '8': '8857af0037d075743c5bf6c16bdf6acf10cc8fc0fcad4842f79bc2cb581afb44',
  '9': '1beb41216fc1ea351bc90480b980375c8788df5a191c431f68eb80865ed349ce',
} as const;
