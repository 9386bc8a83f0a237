import type { JSX } from 'preact';
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Entry } from '../library/library';
import { findText, type Excerpt } from '../library/find-text';
import { fileName, toFileText, type FileKind } from '../library/story-files';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';
import { isComposing } from './composing';
import { MoreIcon } from './icons';
import { closePanel, useKeyboardPlace } from './keyboard-place';
import { saveFile } from './save-file';

const text = words.library;

/** So many stories come into the list at a time: nobody who types waits for hundreds. */
const piece = 40;

/** The list of stories, and all that can be done with one. */
export function LibraryPanel({ desk, open }: { desk: WritingDesk; open: Signal<boolean> }): JSX.Element {
  const query = useSignal('');
  const chosenFiles = useRef<HTMLInputElement>(null);
  const dropping = useSignal(false);
  const panel = useRef<HTMLElement>(null);
  const { library } = desk;
  useKeyboardPlace(panel, '.library-head button');

  useEffect(() => {
    if (open.value) void library.refresh();
  }, [library, open.value]);

  useEffect(() => {
    // Not at each letter: a library may hold millions of words.
    const soon = setTimeout(() => void library.search(query.value), 150);
    return () => {
      clearTimeout(soon);
    };
  }, [library, query.value]);

  const shown = found(library.entries.value, query.value, library.hits.value);
  const listed = useSignal(piece);
  useEffect(() => {
    if (!open.value || listed.value >= shown.length) return undefined;
    const soon = setTimeout(() => (listed.value += piece));
    return () => {
      clearTimeout(soon);
    };
  }, [open.value, listed.value, shown.length]);
  return (
    <aside
      ref={panel}
      id="library"
      class={dropping.value ? 'library dropping' : 'library'}
      hidden={!open.value}
      aria-label={text.name}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        dropping.value = true;
      }}
      onDragLeave={() => (dropping.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        dropping.value = false;
        void desk.importFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <div class="library-head">
        <h2>{text.name}</h2>
        <button type="button" onClick={() => void desk.stories.addEmpty()}>
          {text.add}
        </button>
      </div>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={query.value}
        onInput={(event) => (query.value = event.currentTarget.value)}
      />
      <p class="hint" role="status">
        {query.value.trim() !== '' && (library.searching.value ? text.searching : text.found(shown.length))}
      </p>
      <ul class="stories">
        {shown.slice(0, listed.value).map(({ entry, excerpt }) => (
          <StoryItem key={entry.id} desk={desk} entry={entry} excerpt={excerpt} panelOpen={open} />
        ))}
      </ul>
      <Deleted desk={desk} />
      <div class="library-foot">
        <input
          ref={chosenFiles}
          type="file"
          hidden
          multiple
          accept=".txt,.md,.markdown,.json"
          onChange={(event) => {
            void desk.importFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        <button type="button" onClick={() => chosenFiles.current?.click()} aria-describedby="import-hint">
          {text.import}
        </button>
        <button
          type="button"
          onClick={() =>
            void desk.stories.exportAll().then((file) => {
              if (file) saveFile(fileName(text.libraryFile, 'json'), file);
            })
          }
        >
          {text.exportAll}
        </button>
        <p id="import-hint" class="hint">
          {text.importHint}
        </p>
      </div>
    </aside>
  );
}

interface Found {
  readonly entry: Entry;
  readonly excerpt: Excerpt | null;
}

/** Those whose titles have it at once, the others as the texts are read. */
function found(
  entries: readonly Entry[],
  query: string,
  hits: readonly { readonly story: string; readonly excerpt: Excerpt }[] | null,
): Found[] {
  if (query.trim() === '') return entries.map((entry) => ({ entry, excerpt: null }));
  const excerpts = new Map((hits ?? []).map(({ story, excerpt }) => [story, excerpt]));
  return entries
    .filter((entry) => excerpts.has(entry.id) || findText(entry.title, query))
    .map((entry) => ({ entry, excerpt: excerpts.get(entry.id) ?? null }));
}

interface ItemProps extends Found {
  desk: WritingDesk;
  panelOpen: Signal<boolean>;
}

function StoryItem({ desk, entry, excerpt, panelOpen }: ItemProps): JSX.Element {
  const more = useSignal(false);
  const renaming = useSignal(false);
  const moreButton = useRef<HTMLButtonElement>(null);
  const open = entry.id === desk.story.id.value;
  const label = open ? desk.story.label.value : entry;
  const title = text.titleOf(label);
  return (
    <li class="story-item" aria-current={open ? 'true' : undefined}>
      {renaming.value ? (
        <NewName
          title={label.title}
          done={(name, byKey) => {
            if (byKey) moreButton.current?.focus();
            renaming.value = false;
            if (name !== null) void desk.stories.rename(entry.id, name);
          }}
        />
      ) : (
        <button
          key="link"
          type="button"
          class="story-link quiet"
          onClick={() => {
            if (!open) void desk.stories.open(entry.id);
            if (matchMedia('(max-width: 60rem)').matches) closePanel(panelOpen, 'library');
          }}
        >
          <span class="story-title">{title}</span>
          {excerpt ? (
            <span class="hint excerpt">
              {excerpt.before}
              <mark>{excerpt.found}</mark>
              {excerpt.after}
            </span>
          ) : (
            <span class="hint">
              {text.count(label.words)} · {text.date(entry.updatedAt)}
            </span>
          )}
        </button>
      )}
      <button
        key="more" // else it could become the link when the field goes, and take the keyboard along
        ref={moreButton}
        type="button"
        class="quiet more"
        aria-label={text.more(title)}
        aria-expanded={more.value}
        onClick={() => (more.value = !more.value)}
      >
        <MoreIcon />
      </button>
      {more.value && (
        <div class="story-actions">
          <Small label={text.rename} act={() => (renaming.value = true)} />
          <Small label={text.duplicate} act={() => void desk.stories.duplicate(entry.id)} />
          <Small label={text.markdown} act={() => void save(desk, entry.id, title, 'md')} />
          <Small label={text.plainText} act={() => void save(desk, entry.id, title, 'txt')} />
          <Small label={text.delete} act={() => void desk.stories.delete(entry.id)} />
        </div>
      )}
    </li>
  );
}

async function save(desk: WritingDesk, id: string, shownTitle: string, kind: FileKind): Promise<void> {
  const story = await desk.stories.textOf(id);
  if (story) saveFile(fileName(shownTitle, kind), toFileText(story, kind));
}

interface NewNameProps {
  title: string;
  /** With the name that was typed, or with null to leave it as it is; and whether a key said so. */
  done: (name: string | null, byKey: boolean) => void;
}

function NewName({ title, done }: NewNameProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (name: string | null, byKey: boolean): void => {
    // A field that is taken away loses the keyboard, too: that says nothing any more.
    if (over.current) return;
    over.current = true;
    done(name, byKey);
  };
  return (
    <input
      ref={field}
      class="new-name"
      aria-label={text.newName}
      defaultValue={title}
      maxLength={200}
      onKeyDown={(event) => {
        if (isComposing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        // Else the button that gets the keyboard would be pressed by the same Enter.
        event.preventDefault();
        event.stopPropagation();
        end(event.key === 'Enter' ? event.currentTarget.value.trim() : null, true);
      }}
      onBlur={(event) => {
        end(event.currentTarget.value.trim(), false);
      }}
    />
  );
}

function Small({ label, act }: { label: string; act: () => void }): JSX.Element {
  return (
    <button type="button" class="small" onClick={act}>
      {label}
    </button>
  );
}

function Deleted({ desk }: { desk: WritingDesk }): JSX.Element | null {
  const deleted = desk.library.deleted.value;
  if (deleted.length === 0) return null;
  return (
    <details class="bin">
      <summary>{text.bin(deleted.length)}</summary>
      <p class="hint">{text.binHint}</p>
      <ul class="stories">
        {deleted.map((entry) => (
          <li key={entry.id} class="story-item">
            <span class="story-title">{text.titleOf(entry)}</span>
            <div class="story-actions">
              <Small label={text.restore} act={() => void desk.stories.restore(entry.id)} />
              <Small label={text.deleteForGood} act={() => void desk.stories.deleteForGood(entry.id)} />
            </div>
          </li>
        ))}
      </ul>
    </details>
  );
}
