import { defineScript } from './script.js';

/**
 * Tells who leads; writes nothing.
 *
 * KEYS[1] lease, KEYS[2] record
 * ARGV[1] tag
 *
 * Replies (every element is a string):
 *   tag, 'seen', ms until the lease ends, known epoch, ttl ms, holder, its epoch, its node id, its metadata
 * with an empty holder where the lease is free, and -1 ms where it has no end.
 */
export const INSPECT = defineScript(
  'inspect',
  null,
  `
local left = 0
if lease then left = redis.call('PTTL', KEYS[1]) end
return { ARGV[1], 'seen', text(left), text(known_epoch), text(record_ttl), describe_leader() }
`,
);
