/** What reading a row costs in WebAssembly; the row is copied in from a JavaScript array. */
export interface Floor {
  blockMaxima(row: Float32Array): number;
  softmaxSum(row: Float32Array): number;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(size: number): number;
  quillmate_block_maxima(row: number, size: number): number;
  quillmate_softmax_sum(row: number, size: number): number;
}

/** @param module the bytes of quillmate_floor.wasm (cpp/bench/floor.cpp) */
export async function loadFloor(module: Uint8Array<ArrayBuffer>, vocabSize: number): Promise<Floor> {
  const { instance } = await WebAssembly.instantiate(module);
  const floor = instance.exports as unknown as Exports;
  floor._initialize();
  const address = floor.malloc(Float32Array.BYTES_PER_ELEMENT * vocabSize);
  floor.quillmate_block_maxima(address, vocabSize); // allocates what it keeps
  const view = new Float32Array(floor.memory.buffer, address, vocabSize);
  return {
    blockMaxima(row) {
      view.set(row);
      return floor.quillmate_block_maxima(address, row.length);
    },
    softmaxSum(row) {
      view.set(row);
      return floor.quillmate_softmax_sum(address, row.length);
    },
  };
}
