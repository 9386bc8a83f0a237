import { SamplerError } from 'quillmate-sampler';

/** The SamplerError that a call throws or rejects with; anything else fails the test. */
export function refusalOf(call: () => unknown): SamplerError {
  try {
    call();
  } catch (error) {
    if (error instanceof SamplerError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

export async function rejectionOf(promise: Promise<unknown>): Promise<SamplerError> {
  const [result] = await Promise.allSettled([promise]);
  return refusalOf(() => {
    if (result.status === 'rejected') throw result.reason;
  });
}

/** What a caller without types can do: hand over anything. */
export function wrong<T>(value: unknown): T {
  return value as T;
}
