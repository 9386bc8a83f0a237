interface Deletable {
  delete(): void;
}

// embind never frees its objects by itself.
const net = new FinalizationRegistry<Deletable>((object) => {
  object.delete();
});

/**
 * The only owner of an object in WebAssembly memory: frees it once, when it is told to or when it is forgotten itself.
 * @internal
 */
export class Owned<T extends Deletable> {
  #object: T | undefined;

  constructor(object: T) {
    this.#object = object;
    net.register(this, object, this);
  }

  /** Undefined once it is freed. */
  get object(): T | undefined {
    return this.#object;
  }

  free(): void {
    const object = this.#object;
    this.#object = undefined;
    net.unregister(this);
    object?.delete();
  }
}
