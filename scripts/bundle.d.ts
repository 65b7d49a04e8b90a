/** Bundles each entry point and each thread into one file with its name in `outdir`. */
export declare function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;

/** Creates `outdir` with the bundles of these entry points and the libraries that are not bundled. It needs no files outside. */
export declare function bundleAlone(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;

/** Lets the bundles in `outdir` use the installed libraries. */
export declare function linkLibraries(outdir: string): void;
