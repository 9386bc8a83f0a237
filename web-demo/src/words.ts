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
  close: 'Close',
  shortcuts: { continue: 'Ctrl+Enter', stop: 'Esc', find: 'Ctrl+F' },

  seed: 'Seed',
  dice: 'Roll a new seed',
  dials: 'How it writes',
  showDials: 'How it writes',
  hideDials: 'Back to the story',
  dialLabels: { seed: 'Seed', temperature: 'Temperature', topK: 'Top-k', topP: 'Top-p', length: 'Tokens to write' },

  model: 'Model',
  manageModels: 'Import or delete models',

  presets: {
    name: 'A way of writing',
    names: { steady: 'Steady', storyteller: 'Storyteller', bold: 'Bold', dreamer: 'Dreamer' },
    hints: {
      steady: 'Plain and close to what one expects; it may say the same thing twice.',
      storyteller: 'Lively and mostly sensible: a good companion for a tale.',
      bold: 'Takes turns that you would not have taken; some lead nowhere.',
      dreamer: 'Pictures before sense. For when you are stuck.',
    },
    own: 'Your own numbers.',
  },

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
    writing(done: number, until: number, takes: number): string {
      return `Writing${takes > 1 ? ` ${takes} takes` : ''}: ${done} of ${until} tokens`;
    },
    done(count: number, perSecond: number | null): string {
      return `Wrote ${tokens(count)}${perSecond === null ? '' : ` at ${perSecond.toFixed(0)} a second`}.`;
    },
    stopped: (count: number, wanted: number): string =>
      `Stopped after ${count} of ${tokens(wanted)}. Continue goes on from here.`,
    severalDone: (count: number): string => `${count} takes are written. Pick the one that belongs in the story.`,
    severalStopped: (count: number): string =>
      `Stopped before ${count} takes were written. Pick one of them, and Continue goes on from there.`,
    same: (count: number, of: number): string =>
      count < of
        ? `Stopped after ${count} of ${tokens(of)}, the same so far.`
        : `The same ${tokens(count)} again, word for word.`,
    sameDespite: (token: number | null, fields: readonly string[]): string =>
      `The same words, although the model’s numbers differ${fromToken(token)}${because(fields)}.`,
    other: (token: number | null, fields: readonly string[]): string =>
      `Other words: the model’s numbers are not those of the first time${fromToken(token)}${because(fields)}. The first words are kept among the takes.`,
    picked: (seed: string): string => `The take of seed ${seed} is in the story now.`,
    released: 'These words are yours now.',
    cannotGoOn: 'The interrupted passage was begun by another version of the model, and is left as it is.',
    ended: 'The machine thinks the story ends here. Write a line, or try another seed.',
    pace: (perSecond: number): string => `${perSecond.toFixed(0)} tokens/s`,
  },

  passage: {
    name: 'The machine’s words at the cursor',
    newTake: 'New take',
    keepWriting: 'Keep writing',
    editFreely: 'Edit freely',
    beingWritten: 'Words that are being written cannot be changed. Stop first, or write elsewhere.',
    none: 'Put the cursor into tinted words to see where they come from.',
    of(seed: string, settings: { temperature: number; topP: number; topK: number }): string {
      const { temperature, topP, topK } = settings;
      return `The machine’s words: seed ${seed}, temperature ${temperature}, top-p ${topP}, top-k ${topK}.`;
    },
    edited: 'You have changed them; Regenerate brings the machine’s back.',
    otherModel: 'Another model than this one wrote them.',
  },

  origin: {
    show: 'Details',
    title: 'Where these words come from',
    about: 'With all of this the passage can be written again, word for word, and is: press Regenerate.',
    settings: 'Settings',
    tokens: 'Length',
    standing(standing: number | null, of: number): string {
      if (standing === null) return `${tokens(of)}; you have changed their words`;
      return standing === of ? tokens(of) : `${tokens(of)}, of which ${standing} stand in the story`;
    },
    read: 'The model had read',
    tokensOf: (count: number): string => tokens(count),
    after: 'It began after',
    fieldOf(field: string): string {
      const name = fieldName(field);
      return name.charAt(0).toUpperCase() + name.slice(1);
    },
    chain: 'Fingerprint of all numbers',
  },

  takes: {
    name: 'Takes',
    show: (count: number): string => (count > 1 ? `Takes (${count})` : 'Takes'),
    none: 'Three seeds write side by side at the cursor; pick the one you like.',
    hint: 'The same passage from different seeds. None is ever lost; what is like the one in the story is pale.',
    more: 'Write three',
    of: (seed: string): string => `Seed ${seed}`,
    textOf: (seed: string): string => `Text of seed ${seed}`,
    numbers: ({ temperature, topP, topK }: { temperature: number; topP: number; topK: number }): string =>
      `temperature ${temperature}, top-p ${topP}, top-k ${topK}`,
    star: (seed: string): string => `Star the take of seed ${seed}`,
    pick: 'Put into the story',
    pickOf: (seed: string): string => `Put the take of seed ${seed} into the story`,
    stands: 'In the story',
  },

  share: {
    show: 'Share',
    title: 'Share this passage',
    about:
      'The link holds what the model had read just before, the settings, the seed and the model’s name: opened elsewhere, it writes the same words and says whether the model is the same. It holds no more of your story than that.',
    copy: 'Copy link',
    copied: 'Link copied',
    notCopied: 'Not copied: select the link and press Ctrl+C',
    link: 'Link',
    file: 'Save as file',
    fileKind: 'quillmate.json',
    titleOf: (title: string): string => `${title === '' ? 'A passage' : title} (shared)`,
    noModel: 'There is no model that could write it: see that one loads, and open the passage again.',
    broken: 'What was shared is not whole, so there is nothing to write from. Ask for it again.',
    otherVocabulary:
      'The model in use does not have all the tokens that the passage begins with: choose the model that wrote it, and open the passage again.',
    onlyFirst: (count: number): string =>
      `The passage is longer than what may be shared: these are its first ${tokens(count)}.`,
    same: 'The model is the same, and so are the words: each number that it drew from is equal.',
    otherModel: (fields: readonly string[]): string =>
      `The model is another (its ${fields.map(fieldName).join(', its ')}), so these words may not be those that were shared.`,
    otherNumbers: 'The model is the same, but its numbers are not, so these words may not be those that were shared.',
    stopped: 'Stopped before the end of what was shared.',
  },

  alternatives: {
    show: 'Other words',
    name: (word: string): string => `Instead of “${word}”`,
    hint: 'The model weighs words and pieces of words. Choose one, and it goes on from there.',
    stands: 'stands there now',
    token(text: string): string {
      if (/^\n+$/.test(text)) return '¶ new paragraph';
      return /^[\p{L}\p{M}]/u.test(text) ? `-${text}` : text.trim();
    },
    share: (probability: number): string => (probability < 0.001 ? '< 0.1 %' : `${(probability * 100).toFixed(1)} %`),
  },

  library: {
    name: 'Stories',
    show: 'Stories',
    title: 'Title',
    untitled: 'Untitled story',
    titleOf: ({ title, opening }: { title: string; opening: string }): string =>
      title !== '' ? title : opening !== '' ? opening : 'Untitled story',
    copyOf: (title: string): string => `${title === '' ? 'Untitled story' : title} (copy)`,
    count: (count: number): string => (count === 1 ? '1 word' : `${numbers.format(count)} words`),
    date: (time: number): string => dates.format(time),
    add: 'New story',
    search: 'Search titles and texts',
    searching: 'Searching.',
    found: (count: number): string =>
      count === 0 ? 'No story has that.' : count === 1 ? 'Found in 1 story.' : `Found in ${count} stories.`,
    more: (title: string): string => `What to do with “${title}”`,
    rename: 'Rename',
    newName: 'New title',
    duplicate: 'Duplicate',
    markdown: 'Save as Markdown',
    plainText: 'Save as text',
    delete: 'Delete',
    deleted: (title: string): string => `“${title}” is deleted.`,
    undo: 'Undo',
    bin: (count: number): string => `Deleted (${count})`,
    binHint: 'Each is kept for a month.',
    restore: 'Bring back',
    deleteForGood: 'Delete for good',
    import: 'Import files',
    importHint: 'Text, Markdown or a saved library; you can also drop them here.',
    exportAll: 'Save library',
    libraryFile: 'quillmate-library',
    notText: (name: string): string => `“${name}” is not a text, and was left out.`,
  },

  find: {
    name: 'Find in this story',
    count: (at: number, of: number, andMore: boolean): string =>
      of === 0 ? 'Not in this story.' : `${at} of ${andMore ? 'more than ' : ''}${numbers.format(of)}`,
    previous: 'Previous',
    next: 'Next',
  },

  announce: {
    ready: 'The model is ready.',
    writing: 'Writing.',
  },

  keeping: { kept: 'Saved', failed: 'Not saved', nowhere: 'it was never saved' },

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
    library: {
      title: 'That could not be done with your stories.',
      advice: 'Those that you have are as they were. Try again, or reload the page.',
    },
    heldElsewhere: {
      title: 'That story is open in another tab.',
      advice: 'Close it there first, or do it in that tab.',
    },
    share: {
      title: 'The shared passage could not be opened.',
      advice: 'Your own stories are as they were.',
    },
    copy: 'Copy the story',
    save: 'Save it as a file',
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

// Made once: to make one takes longer than to show a story in the list.
const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** What a model's identity is made of. */
function fieldName(field: string): string {
  const names: Record<string, string> = {
    name: 'model',
    modelHash: 'model file',
    dataHash: 'weights file',
    configHash: 'settings file',
    runtime: 'runtime',
    runtimeVersion: 'runtime version',
    executionProvider: 'way of computing',
    gpu: 'graphics card',
    threads: 'number of threads',
    invariant: 'invariance',
  };
  return names[field] ?? field;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function tokens(count: number): string {
  return count === 1 ? '1 token' : `${count} tokens`;
}

function fromToken(token: number | null): string {
  return token === null ? '' : ` from token ${token} on`;
}

function because(fields: readonly string[]): string {
  return fields.length === 0 ? '' : ` (of another ${fields.map(fieldName).join(', another ')})`;
}
