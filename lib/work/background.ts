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
/** Nest calls these on every instance, whoever leads. One that throws breaks off the start, or the shutdown. */
export const LIFECYCLE_HOOKS: ReadonlySet<string | symbol> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);

/**
 * Whether it is called by a timer, an in-process event or a lifecycle hook, on every instance alike, so that nobody waits
 * for an answer. Any other caller would take silence for success.
 */
export function isBackground(handler: object, key?: string | symbol): boolean {
  if (key !== undefined && LIFECYCLE_HOOKS.has(key)) return true;
  return isScheduled(handler) || EVENT.some((mark) => Reflect.hasOwnMetadata(mark, handler));
}

export function isScheduled(handler: object): boolean {
  return SCHEDULED.some((key) => Reflect.hasOwnMetadata(key, handler));
}
