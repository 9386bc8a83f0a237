import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { bundledId } from '../models/model-shelf';
import { Models, modelsTitle } from '../models/models-view';
import { words as modelWords } from '../models/words';
import { words } from '../words';
import type { WritingDesk } from '../writing/writing-desk';
import { Dialog } from './dialog';

/** The model that writes, and the way to others. */
export function ModelChoice({ desk }: { desk: WritingDesk }): JSX.Element {
  const managing = useSignal(false);
  const { models } = desk;
  return (
    <div class="model-choice">
      <label for="model">{words.model}</label>
      <select
        id="model"
        value={models.chosen.value}
        disabled={desk.machine.phase.value === 'writing'}
        onChange={(event) => void desk.useModel(event.currentTarget.value)}
      >
        <option value={bundledId}>{modelWords.bundled}</option>
        {models.imported.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" class="quiet small" onClick={() => (managing.value = true)}>
        {words.manageModels}
      </button>
      {managing.value && (
        <Dialog id={modelsTitle} title={modelWords.title} close={() => (managing.value = false)}>
          <Models shelf={models} />
        </Dialog>
      )}
    </div>
  );
}
