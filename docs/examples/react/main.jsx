import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { end, model, prompt, textOf } from '../toy-model.js';
import { useText } from './use-text.js';

function Sentence() {
  const [seed, setSeed] = useState('42');
  const { tokens, done, error } = useText(model, prompt, { seed, maxTokens: 30, eosId: end });
  return (
    <>
      <label>
        Seed <input value={seed} onChange={(event) => setSeed(event.target.value)} />
      </label>
      <p id="text" aria-busy={!done}>
        {error ? error.message : textOf(tokens)}
      </p>
    </>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <Sentence />
  </StrictMode>,
);
