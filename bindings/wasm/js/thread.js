// What runs in the worker: does what the page asks, one message after the other.

/** `sonometer` is the package; `post` sends an answer. Gives what takes a message. */
export function answerBy(sonometer, post) {
  const objects = new Map();
  let last = 0;

  const hold = (object, more) => {
    objects.set((last += 1), object);
    return { object: last, ...more };
  };
  const own = (value) => (typeof value?.interactionJson === 'string' ? sonometer.Interaction.parse(value.interactionJson) : value);
  const sensor = (made) => hold(made, { facts: { ...made } });

  const functions = {
    init: async (source) => ({ value: await sonometer.init(typeof source?.href === 'string' ? new URL(source.href) : source) }),
    parse: (json) => ({ value: void sonometer.Interaction.parse(json) }),
    shipped: (name) => sensor(sonometer.Sensor.shipped(name)),
    load: async (name) => sensor(await sonometer.Sensor.load(name)),
    fromSource: (source, options) => sensor(sonometer.Sensor.fromSource(source, options)),
    catalog: () => ({ value: sonometer.catalog() }),
    fingerprint: () => ({ value: sonometer.fingerprint() }),
  };

  const methods = {
    batch: (of, [interactions, options]) => ({
      // Each is read on its own, so that one that cannot be read costs the others nothing.
      outcomes: of.batch(interactions.map(own), options).map(({ reading, error }) => (reading ? { json: reading.json() } : { error: told(error) })),
    }),
    session: (of, [options]) => hold(of.session(options)),
    estimate: (of, args) => {
      const estimate = of.estimate(...args);
      return { json: estimate.json(), measured: estimate.measured };
    },
  };

  const use = (object, name, args) => {
    const of = objects.get(object);
    if (name === 'free') objects.delete(object);
    if (of !== undefined && Object.hasOwn(methods, name)) return methods[name](of, args);
    const result = of?.[name](...args.map(own));
    return typeof result?.json === 'function' ? { json: result.json() } : { value: result };
  };

  return async ({ id, object, name, args }) => {
    try {
      post({ id, ...(object === undefined ? await functions[name](...args) : use(object, name, args)) });
    } catch (error) {
      post({ id, error: told(error) });
    }
  };
}

/** An error as plain data: those of the package with all that they say. */
function told(error) {
  return typeof error?.toJSON === 'function' ? error.toJSON() : { name: String(error?.name ?? 'Error'), message: String(error?.message ?? error) };
}
