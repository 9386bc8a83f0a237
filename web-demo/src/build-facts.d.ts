interface ImportMetaEnv {
  /** The folder of the models, beside the pages. */
  readonly MODELS: string;
}
