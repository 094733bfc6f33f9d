/** What goes wrong between one worker and its servers. */
import { sleep } from '../../support/process/cluster.js';
import type { TcpProxy } from '../../support/redis/tcp-proxy.js';
import { between, digitsOf, type FaultKinds, type Play } from './fault.interface.js';

/** Alone among several ways, so often; else all of them. */
const ONE_WAY_ONLY = 0.3;
const DROP_AGAIN_MS = 150;

export const NETWORK_FAULTS: FaultKinds = {
  cut: on((network) => network.cut()),
  'lost-requests': on((network) => network.silenceRequests()),
  'lost-replies': on((network) => network.silenceReplies()),
  silence: on((network) => network.silence()),
  delay: on((network, { ttlMs, amount }) =>
    network.delayReplies(between(10, 0.4 * ttlMs, digitsOf(amount))),
  ),
  'applied-reply-lost': dropReplies,
};

interface How {
  readonly ttlMs: number;
  readonly amount: number;
}

function on(begin: (network: TcpProxy, how: How) => void): Play {
  return ({ fleet, ttlMs }, { whom, leader, amount }) =>
    fleet.withOne({ whom, leader }, async ({ networks }) => {
      const hit = some(networks, whom);
      for (const network of hit) begin(network, { ttlMs, amount });
      await sleep(between(0.1 * ttlMs, 2.5 * ttlMs, amount));
      for (const network of hit) network.heal();
    });
}

/** Scripts are applied, and their answers are lost, one after the other. */
function dropReplies(...[{ fleet, ttlMs }, { whom, leader, amount }]: Parameters<Play>) {
  return fleet.withOne({ whom, leader }, async ({ networks }) => {
    for (let leftMs = between(0, 1.5 * ttlMs, amount); leftMs >= 0; leftMs -= DROP_AGAIN_MS) {
      for (const network of networks) network.dropNextReply();
      await sleep(DROP_AGAIN_MS);
    }
    for (const network of networks) network.heal();
  });
}

function some(networks: readonly TcpProxy[], whom: number): readonly TcpProxy[] {
  const part = digitsOf(whom);
  if (part >= ONE_WAY_ONLY) return networks;
  const only = Math.floor((part / ONE_WAY_ONLY) * networks.length);
  return networks.slice(only, only + 1);
}
