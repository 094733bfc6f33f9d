/** Waiting that ends. */

/** Whether it settled in time. A rejection passes through. */
export async function within(ms: number, what: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([what.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Keeps it in the set until it settles. */
export function follow<T>(all: Set<Promise<unknown>>, what: Promise<T>): Promise<T> {
  all.add(what);
  const forget = () => all.delete(what);
  what.then(forget, forget);
  return what;
}
