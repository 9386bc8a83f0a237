/** What the tests use of the library, which is not installed in every checkout. */
declare module '@huggingface/transformers' {
  export class Tensor {
    constructor(type: 'int64', data: BigInt64Array, dims: number[]);
    tolist(): bigint[][];
  }
  export interface Inputs {
    readonly input_ids: Tensor;
    readonly attention_mask: Tensor;
  }
  export const env: { allowRemoteModels: boolean; localModelPath: string };
  interface Tokenizer {
    (text: string): Inputs;
    decode(tokens: readonly number[], options: { skip_special_tokens: boolean }): string;
  }
  export const AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> };
  export const AutoModelForCausalLM: {
    from_pretrained(name: string, options: { dtype: string }): Promise<{ generate(options: object): Promise<Tensor> }>;
  };
}
