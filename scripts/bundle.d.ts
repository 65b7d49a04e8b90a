/** Bundles each entry point into one file with its name in `outdir`. */
export declare function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;

/** Creates `outdir` with the bundles of these entry points and the libraries of the pages. It needs no files outside. */
export declare function bundleAlone(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;
