import type { JSX } from 'preact';
import type { ModelShelf } from './model-shelf';
import { words } from './words';

/** The models that there are, with what imports and deletes them. */
export function ModelsView({ shelf }: { shelf: ModelShelf }): JSX.Element {
  return (
    <section class="models" aria-labelledby={modelsTitle}>
      <h2 id={modelsTitle}>{words.title}</h2>
      <Models shelf={shelf} />
    </section>
  );
}

/** The id of the heading above {@link Models}. */
export const modelsTitle = 'models-title';

export function Models({ shelf }: { shelf: ModelShelf }): JSX.Element {
  const library = shelf.library.value;
  const problem = shelf.problem.value;
  return (
    <>
      <p class="hint">{library === null ? words.noStorage : words.about}</p>
      {library && (
        <div class="form-actions">
          <Chooser shelf={shelf} label={words.chooseFolder} folder />
          <Chooser shelf={shelf} label={words.chooseFiles} folder={false} />
        </div>
      )}
      <Status shelf={shelf} />
      {problem && (
        <div class="notice trouble" role="alert">
          <div class="notice-text">
            <p>
              <strong>{problem.title}</strong>
            </p>
            <p class="details">{problem.reason}</p>
          </div>
        </div>
      )}
      {shelf.imported.value.length > 0 && <Imported shelf={shelf} />}
    </>
  );
}

/** A button that opens the browser's own chooser of files. */
function Chooser({ shelf, label, folder }: { shelf: ModelShelf; label: string; folder: boolean }) {
  return (
    <label class="chooser" aria-disabled={shelf.busy.value}>
      {label}
      <input
        type="file"
        class="unseen"
        multiple
        disabled={shelf.busy.value}
        {...(folder && { webkitdirectory: true })}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // The same files may be chosen again, mended.
          event.currentTarget.value = '';
          void shelf.import(files);
        }}
      />
    </label>
  );
}

function Status({ shelf }: { shelf: ModelShelf }) {
  const status = shelf.status.value;
  return (
    <div class="import-status" role="status">
      {status && <p>{status.text}</p>}
      {status?.running && <progress aria-label={words.progress} max={status.total} value={status.done} />}
    </div>
  );
}

function Imported({ shelf }: { shelf: ModelShelf }) {
  return (
    <div class="scroller" role="group" aria-labelledby={modelsTitle} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.columns.name}</th>
            <th scope="col">{words.columns.size}</th>
            <th scope="col">{words.columns.hash}</th>
            <th scope="col">{words.columns.action}</th>
          </tr>
        </thead>
        <tbody>
          {shelf.imported.value.map((model) => (
            <tr key={model.id}>
              <th scope="row">{model.name}</th>
              <td>{words.size(model.size)}</td>
              <td class="chain">{model.hash}</td>
              <td>
                <button
                  type="button"
                  aria-label={words.remove(model.name)}
                  aria-disabled={shelf.busy.value}
                  onClick={() => void shelf.remove(model)}
                >
                  {words.removeShort}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
