import { hostname } from 'node:os';

/** Adds the name of the server to the extensions of each result. */
export default ({ port }) => ({
  onExecutionResult({ result, setResult }) {
    setResult({ ...result, extensions: { ...result.extensions, server: `${hostname()}:${port}` } });
  },
});
