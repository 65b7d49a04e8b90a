import { mediaTypes, SaveButtons } from '../../components/lists/SaveButtons.tsx';
import { fetchWithToken } from '../../data/session.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';

interface SaveStatementProps {
  readonly address: string;
  /** The heights of the statement. */
  readonly from: string;
  readonly to: string;
}

/** Buttons that save all lines of a statement, which the server writes. */
export function SaveStatement({ address, from, to }: SaveStatementProps) {
  return (
    <SaveButtons
      name={accountsTexts.value.account.statement}
      load={async (format) => {
        const query = new URLSearchParams({ from, to });
        const response = await fetchWithToken(`/v1/accounts/${address}/statement?${query}`, mediaTypes[format]);
        if (!response.ok) throw new Error(`status ${response.status}`);
        return { name: `statement-${address}-${from}-${to}`, content: await response.blob() };
      }}
    />
  );
}
