/** Every English sentence of the offer of a newer build, in one place. */
export const words = {
  title: 'A newer Quillmate is here.',
  advice: 'It starts when you want it to. What you have is saved, and stays.',
  busy: 'It can start when the machine has finished.',
  start: 'Start it now',
  postpone: 'Later',
} as const;
