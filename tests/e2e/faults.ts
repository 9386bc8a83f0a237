import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** What axe-core has against the page as it is. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<axe.AxeResults> } };
    return axe.run();
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
