/** The programs of a build, by the name of the file in `dist`. */
export const entryPoints = {
  main: 'src/start/main.ts',
  devnet: 'packages/devnet/src/main.ts',
  client: 'scripts/client.ts',
  archive: 'scripts/archive.ts',
};
