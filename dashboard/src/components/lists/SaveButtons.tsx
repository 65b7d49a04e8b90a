import { useState } from 'preact/hooks';
import { count } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { at } from '../../routing/router.ts';
import type { ListName } from './lists.ts';
import type { FileFormat } from './rows.ts';

/** The media types of the formats of files. */
export const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const satisfies Record<FileFormat, string>;

/** A file that a visitor saves. */
interface SavedFile {
  /** Without the ending. */
  readonly name: string;
  readonly content: Blob;
  /** What the visitor should know about it. */
  readonly note?: string | undefined;
}

interface SaveButtonsProps {
  /** What is saved, for screen readers. */
  readonly name: string;
  readonly load: (format: FileFormat) => Promise<SavedFile>;
}

function saveFile({ name, content }: SavedFile, format: FileFormat): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${format}`;
  link.click();
  // The browser has opened the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Buttons that save a list as a file that spreadsheets open, or as lines of JSON. */
export function SaveButtons({ name, load }: SaveButtonsProps) {
  const [loading, setLoading] = useState<FileFormat | undefined>(undefined);
  const [note, setNote] = useState<string | undefined>(undefined);

  async function save(format: FileFormat): Promise<void> {
    setLoading(format);
    setNote(undefined);
    try {
      const file = await load(format);
      saveFile(file, format);
      setNote(file.note);
    } catch {
      setNote(texts.value.parts.notSaved);
    }
    setLoading(undefined);
  }

  return (
    <span class="save">
      {note === undefined ? null : (
        <span class="small" role="status">
          {note}
        </span>
      )}
      {(['csv', 'ndjson'] as const).map((format) => (
        <button
          key={format}
          type="button"
          class="button small"
          disabled={loading !== undefined}
          aria-label={texts.value.parts.saveAs(name, format.toUpperCase())}
          onClick={() => save(format)}
        >
          {loading === format ? texts.value.parts.saving : format.toUpperCase()}
        </button>
      ))}
    </span>
  );
}

interface SaveListProps {
  readonly name: string;
  readonly list: ListName;
  /** The denom, address, id or height that the list belongs to. Absent for a list of the chain. */
  readonly of?: string;
}

/** Buttons that save a whole list, read at the height that the page shows. The code and the documents are loaded with the first press. */
export function SaveList({ name, list, of = '' }: SaveListProps) {
  async function load(format: FileFormat): Promise<SavedFile> {
    const [{ mostRows, readList }, { fileText }] = await Promise.all([import('./lists.ts'), import('./rows.ts')]);
    const { rows, height, isCut } = await readList(list, of, at.value);
    return {
      name: [list, of.replaceAll(/[^\w.-]+/g, '_'), height?.toString() ?? ''].filter((part) => part !== '').join('-'),
      content: new Blob([fileText(rows, format)], { type: mediaTypes[format] }),
      note: isCut ? texts.value.parts.firstRows(count(mostRows)) : undefined,
    };
  }
  return <SaveButtons name={name} load={load} />;
}

interface ListAsideProps extends SaveListProps {
  /** The page of the list that is shown. Absent if it cannot be read, or is not read yet. */
  readonly shown: { readonly totalCount: string | null; readonly nodes: readonly unknown[] } | null | undefined;
}

/** What stands beside the title of a list: the buttons that save it, unless it is empty, and its length. */
export function ListAside({ shown, ...list }: ListAsideProps) {
  return (
    <>
      {shown?.nodes.length ? <SaveList {...list} /> : null}
      <span class="muted num">{shown?.totalCount ? count(shown.totalCount) : ''}</span>
    </>
  );
}
