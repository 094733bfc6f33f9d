/**
 * How other packages mark the functions that they call. Metadata keys, not imports: nobody has to install what they
 * do not use. Each is checked against the real package in `test/e2e`.
 */
const SCHEDULED = [
  'SCHEDULE_CRON_OPTIONS',
  'SCHEDULE_INTERVAL_OPTIONS',
  'SCHEDULE_TIMEOUT_OPTIONS',
];
const EVENT = ['EVENT_LISTENER_METADATA'];
const ROUTE = ['path', 'method'];

/** Nest calls these on every instance, whoever leads. One that throws breaks off the start, or the shutdown. */
export const LIFECYCLE_HOOKS: ReadonlySet<string | symbol> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/**
 * - `background`: called by a timer, an in-process event or a lifecycle hook, on every instance alike; nobody waits
 *   for an answer.
 * - `route`: an HTTP handler.
 * - `call`: anything else; the caller would take silence for success.
 */
export type HandlerKind = 'background' | 'route' | 'call';

export function handlerKindOf(handler: object, key?: string | symbol): HandlerKind {
  const has = (key: string) => Reflect.hasOwnMetadata(key, handler);
  if (isScheduled(handler) || EVENT.some(has)) return 'background';
  if (key !== undefined && LIFECYCLE_HOOKS.has(key)) return 'background';
  return ROUTE.every(has) ? 'route' : 'call';
}

export function isScheduled(handler: object): boolean {
  return SCHEDULED.some((key) => Reflect.hasOwnMetadata(key, handler));
}
