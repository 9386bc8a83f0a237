import { loadFailed } from './load-failed.js';
import { bytesOf, fieldsOf } from './protocol-buffers.js';

/** A file beside a model's own, with some of its weights. */
export interface DataFile {
  /** As the model calls it: a path that begins in the model's own folder. */
  readonly location: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The files beside it in which an ONNX model keeps its larger weights, as exports of more than two gigabytes do: paths that
 * begin in the model's own folder. None of what is no ONNX model: the runtime will say so.
 * @throws SamplerError MODEL_LOAD_FAILED for a path that leads out of the folder
 */
export function dataLocations(model: Uint8Array, name: string): string[] {
  const locations = new Set<string>();
  try {
    for (const graph of bytesOf(fieldsOf(model), fields.model.graph)) collect(graph, locations);
  } catch {
    return [];
  }
  for (const location of locations) {
    if (location === '' || /^[/\\]|:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(location)) {
      throw loadFailed(
        `${name} keeps weights in "${location}", which is not in its folder; save it again with its data beside it`,
      );
    }
  }
  return [...locations];
}

/** The numbers of the fields that are looked at, as onnx.proto gives them. */
const fields = {
  model: { graph: 7 },
  graph: { node: 1, constant: 5 },
  node: { attribute: 5 },
  attribute: { constant: 5, graph: 6, constants: 10, graphs: 11 },
  constant: { entry: 13 },
  entry: { key: 1, value: 2 },
} as const;

function collect(graph: Uint8Array, locations: Set<string>): void {
  const parts = fieldsOf(graph);
  const attributes = bytesOf(parts, fields.graph.node)
    .flatMap((node) => bytesOf(fieldsOf(node), fields.node.attribute))
    .map(fieldsOf);
  const inAttributes = (...numbers: number[]): Uint8Array[] =>
    attributes.flatMap((attribute) => numbers.flatMap((number) => bytesOf(attribute, number)));
  const { constant, constants, graph: inner, graphs } = fields.attribute;
  const tensors = [...bytesOf(parts, fields.graph.constant), ...inAttributes(constant, constants)];
  for (const tensor of tensors) {
    for (const entry of bytesOf(fieldsOf(tensor), fields.constant.entry).map(fieldsOf)) {
      const [key, value] = [fields.entry.key, fields.entry.value].map((number) =>
        new TextDecoder().decode(bytesOf(entry, number)[0]),
      );
      if (key === 'location' && value !== undefined) locations.add(value.replace(/^\.\//, ''));
    }
  }
  for (const branch of inAttributes(inner, graphs)) collect(branch, locations);
}
