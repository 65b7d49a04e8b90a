import { useState } from 'preact/hooks';
import { fetchWithToken } from '../../data/session.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';

interface CsvButtonProps {
  readonly address: string;
  /** The heights of the statement. */
  readonly from: string;
  readonly to: string;
}

/** A button that saves the lines of a statement as a file that spreadsheets open. */
export function CsvButton({ address, from, to }: CsvButtonProps) {
  const [state, setState] = useState<'ready' | 'loading' | 'failed'>('ready');

  async function save(): Promise<void> {
    setState('loading');
    try {
      const response = await fetchWithToken(
        `/v1/accounts/${address}/statement?${new URLSearchParams({ from, to })}`,
        'text/csv',
      );
      if (!response.ok) throw new Error(accountsTexts.value.statement.serverStatus(String(response.status)));
      const url = URL.createObjectURL(await response.blob());
      const link = document.createElement('a');
      link.href = url;
      link.download = `statement-${address}-${from}-${to}.csv`;
      link.click();
      // The browser has opened the file by then.
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      setState('ready');
    } catch {
      setState('failed');
    }
  }

  return (
    <span class="row">
      {state === 'failed' ? (
        <span class="small failed" role="alert">
          {accountsTexts.value.statement.noFile}
        </span>
      ) : null}
      <button type="button" class="button small" disabled={state === 'loading'} onClick={save}>
        {state === 'loading' ? texts.value.words.loading : accountsTexts.value.statement.csv}
      </button>
    </span>
  );
}
