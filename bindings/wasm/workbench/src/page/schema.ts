// What the schema of protocol files says about keys: what may stand where, and what it means.
import blueprint from '../../../../../crates/sonometer/schema/blueprint.schema.json';
import metric from '../../../../../crates/sonometer/schema/metric.schema.json';
import protocol from '../../../../../crates/sonometer/schema/protocol.schema.json';

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
}

/** A key that may stand in a map. */
export interface KnownKey {
  readonly name: string;
  readonly about: string;
  readonly example: unknown;
  readonly fallback: unknown;
  /** Whether its value goes below it: a map or a list of maps. */
  readonly deep: boolean;
  readonly lines: boolean;
  /** The names that the value may be. */
  readonly names: readonly string[];
}

function root(source: string): Schema {
  if (/^sonometer_metric:/m.test(source)) return metric as unknown as Schema;
  if (/^sonometer_blueprint:/m.test(source)) return blueprint as unknown as Schema;
  return protocol as unknown as Schema;
}

/** A schema with what it refers to. */
function resolved(whole: Schema, schema: Schema | boolean | undefined): Schema[] {
  if (schema === undefined || typeof schema === 'boolean') return [];
  const name = schema.$ref?.replace('#/definitions/', '');
  const more = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const referred = name === undefined ? [] : resolved(whole, whole.definitions?.[name]);
  return [schema, ...referred, ...more.flatMap((one) => resolved(whole, one))];
}

function properties(schemas: readonly Schema[]): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const schema of schemas) for (const [name, own] of Object.entries(schema.properties ?? {})) if (!found.has(name)) found.set(name, own);
  return found;
}

/** The schemas at a path of keys; entries of lists add nothing to a path. */
function at(whole: Schema, path: readonly string[]): Schema[] {
  let now = resolved(whole, whole);
  for (const key of path) {
    const inLists = now.flatMap((schema) => resolved(whole, schema.items));
    const all = [...now, ...inLists];
    const own = properties(all).get(key);
    const free = all.map((schema) => schema.additionalProperties).find((schema) => typeof schema === 'object');
    now = resolved(whole, own ?? free);
  }
  return [...now, ...now.flatMap((schema) => resolved(whole, schema.items))];
}

/** The keys that may stand in the map at a path. */
export function keysAt(source: string, path: readonly string[]): KnownKey[] {
  const whole = root(source);
  return [...properties(at(whole, path))].map(([name, schema]) => known(whole, name, schema));
}

export function keyAt(source: string, path: readonly string[], name: string): KnownKey | undefined {
  return keysAt(source, path).find((key) => key.name === name);
}

function known(whole: Schema, name: string, schema: Schema): KnownKey {
  const all = resolved(whole, schema);
  const first = <T>(pick: (schema: Schema) => T | undefined) => all.map(pick).find((value) => value !== undefined);
  const items = all.flatMap((one) => resolved(whole, one.items));
  const names = [...all, ...items].flatMap((one) => [...(one.enum ?? []), ...(one.const === undefined ? [] : [one.const])]).map(String);
  const maps = [...all, ...items].some((one) => one.properties !== undefined);
  const description = schema.description ?? first((one) => one.description) ?? '';
  const example = schema.examples?.[0] ?? first((one) => one.examples?.[0]);
  const lines = schema.allOf?.[0]?.$ref === '#/definitions/lines' || schema.$ref === '#/definitions/lines';
  return { name, about: description, example, fallback: schema.default, deep: maps, lines, names: [...new Set(names)] };
}
