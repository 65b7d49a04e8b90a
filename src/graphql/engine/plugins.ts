import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../config/settings/config.ts';

/**
 * A plugin of Envelop or GraphQL Yoga, which an operator adds with `--plugin` (docs/plugins.md). Its hooks run in the pipeline of `engine.ts`, after
 * our own, for each operation that is executed: `onParams`, `onParse`, `onValidate`, `onContextBuilding`, `onExecute` or `onSubscribe`, and
 * `onExecutionResult`. They do not run for a kept answer (`src/answers/answerCache.ts`), nor for each event of a stream,
 * and requests of other surfaces do not enter the pipeline. With workers, each of them loads the plugin.
 */
export type EnginePlugin = Plugin & {
  /** Whether it must run for every request. No answer of GraphQL is then kept. */
  readonly everyRequest?: boolean;
};

/** The settings that a plugin gets: none with credentials. */
type PluginSettings = Pick<Config, 'host' | 'port' | 'chainId' | 'dataDir' | 'limits' | 'logLevel'>;

/** Loads the plugins in these files, in order. Rejects with an error that names the file if one cannot be loaded. */
export function loadPlugins(files: readonly string[], config: PluginSettings): Promise<readonly EnginePlugin[]> {
  const { host, port, chainId, dataDir, limits, logLevel } = config;
  return Promise.all(files.map((file) => loadPlugin(file, { host, port, chainId, dataDir, limits, logLevel })));
}

async function loadPlugin(file: string, settings: PluginSettings): Promise<EnginePlugin> {
  try {
    const loaded: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href);
    const exported = loaded.default;
    const plugin: unknown = typeof exported === 'function' ? await exported(settings) : exported;
    if (typeof plugin !== 'object' || plugin === null)
      throw new Error('its default export is neither a plugin nor a function that returns one');
    return plugin;
  } catch (error) {
    throw new Error(`the plugin ${file} cannot be loaded: ${error instanceof Error ? error.message : error}`);
  }
}
