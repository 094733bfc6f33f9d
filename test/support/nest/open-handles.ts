/** The sockets and timers that keep this process alive. */
export function openHandles(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kind === 'Timeout' || kind.startsWith('TCP'));
}
