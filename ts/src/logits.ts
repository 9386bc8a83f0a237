/**
 * One row of logits, one number per token of the vocabulary; minus infinity bans its token. The numbers of an array are
 * binary64. A row is read before the call returns and never changed.
 */
export type LogitsInput = Float32Array | Float64Array | readonly number[];
