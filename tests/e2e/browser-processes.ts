import { expect } from '@playwright/test';
import { readdir, readFile } from 'node:fs/promises';

/**
 * Ends a browser as a crash of the machine would: all its processes at once, none of which can do anything about it.
 * @param profile its folder, which no other browser uses
 * @returns how many processes there were
 */
export async function killBrowser(profile: string): Promise<number> {
  const processes = await running();
  const own = new Set(processes.filter(({ command }) => command.includes(profile)).map(({ id }) => id));
  // A parent is older than its children, and so is its id, except where the ids have begun again.
  for (let size = -1; size < own.size;) {
    size = own.size;
    for (const { id, parent } of processes) if (own.has(parent)) own.add(id);
  }
  if (own.size === 0) throw new Error(`no browser has the profile ${profile}`);
  for (const id of own) kill(id);
  await expect.poll(async () => (await running()).filter(({ id }) => own.has(id))).toEqual([]);
  return own.size;
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It ended with another.
  }
}

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes of the system but those that have ended and wait for their parents to notice. */
async function running(): Promise<Process[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(
    ids.map(async (id) => {
      try {
        const [status, command] = await Promise.all(
          ['status', 'cmdline'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8')),
        );
        if (/^State:\s+Z/m.test(status!)) return [];
        return [{ id: Number(id), parent: Number(/^PPid:\s+(\d+)/m.exec(status!)?.[1]), command: command! }];
      } catch {
        return []; // it has ended meanwhile
      }
    }),
  );
  return processes.flat();
}
