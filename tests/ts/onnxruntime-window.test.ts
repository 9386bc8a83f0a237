import { describe, expect, it } from 'vitest';
import { windowStart } from '../../ts/dist/onnxruntime/context-window.js';

describe('the window on a long text', () => {
  it('begins with the text while all of it fits', () => {
    expect([0, 1, 511, 512].map((count) => windowStart(count, 512))).toEqual([0, 0, 0, 0]);
  });

  it('drops the oldest tokens a quarter of the context at a time', () => {
    expect([513, 640, 641, 768, 769].map((count) => windowStart(count, 512))).toEqual([128, 128, 256, 256, 384]);
  });

  it('never holds more than the context nor, from then on, less than three quarters of it', () => {
    for (const context of [4, 5, 7, 64, 512]) {
      for (let count = context + 1; count < 5 * context; count++) {
        const size = count - windowStart(count, context);
        expect(size).toBeLessThanOrEqual(context);
        expect(size).toBeGreaterThan(context - Math.floor(context / 4));
      }
    }
  });

  it('holds the last token of even the smallest context', () => {
    for (const context of [1, 2, 3]) {
      for (let count = 1; count < 10; count++) {
        const size = count - windowStart(count, context);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(context);
      }
    }
  });
});
