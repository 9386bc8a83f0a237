// The package publishes this file for bundlers and describes it nowhere; runtime.ts says what of it is used.
declare module 'onnxruntime-web/ort-wasm-simd-threaded.mjs' {
  const startRuntime: (options: {
    readonly numThreads: number;
    readonly locateFile?: (name: string) => string;
  }) => Promise<unknown>;
  export default startRuntime;
}
