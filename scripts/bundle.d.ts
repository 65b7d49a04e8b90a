/** Makes one file of each entry point, by its name, in `outdir`. */
export declare function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;

/** Makes `outdir` of the bundles of these entry points and the libraries of the pages. It needs no file outside of it. */
export declare function bundleAlone(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;
