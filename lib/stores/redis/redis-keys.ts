export const DEFAULT_KEY_PREFIX = 'leader-election';

/** The keys of one election, and the channel that its release is announced on. */
export interface ElectionKeys {
  /** A string `holder|epoch` with a ttl. */
  readonly lease: string;
  /** A hash without a ttl: epoch, holder, since when … */
  readonly record: string;
}

/**
 * Both keys lie in one Cluster slot: they share the hash tag. Where `keyPrefix` or `name` brings a tag of its own,
 * that one counts, as Redis takes the first; otherwise the name becomes the tag.
 */
export function electionKeys(keyPrefix: string, election: string): ElectionKeys {
  const plain = `${keyPrefix}:${election}`;
  const base = /\{[^}]+\}/.test(plain) ? plain : `${keyPrefix}:{${election}}`;
  return { lease: `${base}:lease`, record: `${base}:record` };
}

/**
 * Whether this part of a key could make an empty hash tag `{}`, alone or behind the brace that is put before a name.
 * Redis then hashes the whole key, and the two keys of an election would lie in different slots.
 */
export function makesEmptyHashTag(part: string): boolean {
  return part.includes('{}') || part.startsWith('}');
}
