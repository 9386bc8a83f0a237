/** Every English sentence of the page, in one place. */
export const words = {
  name: 'Quillmate',
  tagline: 'The same seed writes the same words',
  story: 'Story',
  placeholder: 'Begin a story here.',
  sampleOpening: 'Use a sample opening',

  continue: 'Continue',
  regenerate: 'Regenerate',
  stop: 'Stop',
  actions: 'Writing',
  shortcuts: { continue: 'Ctrl+Enter', stop: 'Esc' },

  seed: 'Seed',
  dice: 'Roll a new seed',
  dials: 'How it writes',
  showDials: 'How it writes',
  hideDials: 'Back to the story',
  dialLabels: { seed: 'Seed', temperature: 'Temperature', topK: 'Top-k', topP: 'Top-p', length: 'Tokens to write' },

  dialProblem: (dial: string, takes: string): string => `${dial}: ${takes}`,
  dialProblems: {
    seed: 'A whole number from 0 to 18446744073709551615.',
    temperature: 'A number from 0 up; 0.8 suits this model.',
    topK: 'A whole number; 0 sets no limit.',
    topP: 'A number from 0 to 1; 1 cuts nothing.',
    length: 'A whole number from 1 to 1000.',
  },

  dialHints: {
    temperature(value: number): string {
      if (value === 0) return 'Always the likeliest word. This model soon goes round in circles then.';
      if (value < 0.6) return 'Careful: it stays close to the likeliest words.';
      if (value <= 1) return 'Lively, and mostly sensible.';
      if (value <= 1.4) return 'Bold: odd words turn up.';
      return 'Wild: hardly English any more.';
    },
    topK(value: number): string {
      if (value === 0) return 'No limit on how many words are in the running.';
      if (value === 1) return 'Only the likeliest word is in the running.';
      return `Only the ${value} likeliest words are in the running.`;
    },
    topP(value: number): string {
      if (value === 1) return 'No word is ruled out, however unlikely.';
      return `The likeliest words that share ${percent(value)} of the chances stay in; the rest are ruled out.`;
    },
    length(value: number): string {
      return `About ${Math.max(1, Math.round(value * 0.75))} words for each press of Continue.`;
    },
  },

  aboutTitle: 'About the machine',
  about: [
    'The model behind Continue is very small: six and a half megabytes that learned from old storybooks and run in this page. It keeps a tone, and fairy tales suit it best.',
    'It forgets who is who, and it has no plot beyond two or three sentences. Take from it a picture or a turn of phrase; the story is yours.',
  ],
  aboutSeed:
    'The seed decides every draw. The same story, seed and settings give the same words, today, tomorrow, and after a crash.',
  aboutPrivacy: 'Nothing you write leaves this page.',
  provenance: 'Where the model comes from',

  status: {
    opening: 'Opening your story.',
    elsewhere: 'This story is open in another tab.',
    loading({ loaded, total }: { loaded: number; total: number }): string {
      if (total === 0) return 'Loading the model.';
      if (loaded >= total) return 'Waking the model.';
      return `Loading the model: ${megabytes(loaded)} of ${megabytes(total)} MB.`;
    },
    loadingLabel: 'Model loaded',
    willGoOn: 'Then the interrupted passage goes on.',
    noModel: 'No model: you can write, but not continue.',
    ready: 'Ready.',
    reading: 'Reading the story.',
    writing(done: number, until: number): string {
      return `Writing: ${done} of ${until} tokens`;
    },
    done(count: number, perSecond: number | null): string {
      return `Wrote ${tokens(count)}${perSecond === null ? '' : ` at ${perSecond.toFixed(0)} a second`}.`;
    },
    stopped: (count: number, wanted: number): string =>
      `Stopped after ${count} of ${tokens(wanted)}. Continue goes on from here.`,
    cannotGoOn: 'The interrupted passage was begun by another version of the model, and is left as it is.',
    ended: 'The machine thinks the story ends here. Write a line, or try another seed.',
    pace: (perSecond: number): string => `${perSecond.toFixed(0)} tokens/s`,
  },

  hints: {
    same: 'The tinted words are the machine’s. Regenerate writes them again, word for word.',
    other: 'The seed, a setting or the model has changed: Regenerate replaces the tinted words with others.',
  },

  announce: {
    ready: 'The model is ready.',
    writing: 'Writing.',
  },

  keeping: { kept: 'Saved as you write', failed: 'Not saved' },

  notices: {
    model: {
      title: 'The model could not be loaded.',
      advice: 'Your story is safe and you can go on writing. Check the connection, then try again.',
      action: 'Try again',
    },
    run: {
      title: 'The machine stopped because of an error.',
      advice: 'What is on the page is kept. Load the model again, then press Continue to go on.',
      action: 'Load the model again',
    },
    storeOpen: {
      title: 'The browser does not give access to your saved story.',
      advice:
        'You can write, but nothing is saved: copy your text before you close the page. Private windows and full disks are common reasons; reload the page to try again.',
    },
    storeSave: {
      title: 'The last change could not be saved.',
      advice: 'Your text is still on the page. Keep this tab open, free some disk space if it is full, and try again.',
      action: 'Save again',
    },
    copy: 'Copy the story',
    copied: 'Copied',
    notCopied: 'Not copied: select the text and press Ctrl+C',
    dismiss: 'Close this message',
    elsewhere: {
      title: 'This story is open in another tab.',
      advice:
        'So that neither tab overwrites the other, it can only be read here. Close the other tab and this one takes over.',
    },
  },

  opening: `Once upon a time there was a clockmaker's daughter who lived at the edge of a great dark wood. Every evening she set a candle in the window, and every morning she found it no shorter than before, as if the night had not passed at all.

One winter, when the snow lay deep upon the road, there came a knock at the door.`,
} as const;

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function tokens(count: number): string {
  return count === 1 ? '1 token' : `${count} tokens`;
}
