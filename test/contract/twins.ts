/** One election in a real Redis and in the model, on both of which the same is done. */
import { expect } from '@jest/globals';
import type {
  AcquireReply,
  HoldOff,
  LeaseHolder,
} from '../../lib/election/lease-store.interface.js';
import * as rules from '../../lib/stores/memory/lease-rules.js';
import { electionKeys } from '../../lib/stores/redis/redis-keys.js';
import type { RedisLeaseStore } from '../../lib/stores/redis/redis-lease-store.js';
import type { RedisServer } from '../support/redis/redis-server.js';
import { releaseTo, renewalOf, requestBy } from '../support/redis/requests.js';

/** Above every time in milliseconds, so that an epoch above it never jumps. */
const FAR_FLOOR = 9e12;

/** What a holder says of itself in a request: what it was granted last, or something else. */
export interface Claim {
  readonly by: LeaseHolder;
  readonly attempt: 'granted' | 'earlier' | 'other';
  readonly epoch: 'granted' | 'none' | 'higher';
}

interface Granted {
  epoch: number;
  attempts: number[];
}

export class Twins {
  private model: rules.StoredElection = { lease: null, record: null };
  private saved: rules.StoredElection = { lease: null, record: null };
  private readonly granted = new Map<LeaseHolder, Granted>();
  private serverId = 1;
  private attempts = 0;
  private settledAt = 0;

  constructor(
    private readonly redis: RedisServer,
    public store: RedisLeaseStore,
    private readonly election: string,
    private readonly ttlMs: number,
    private upMs: number,
  ) {}

  /** From now on it is known what is held and what has ended. */
  async settle(): Promise<void> {
    this.settledAt = await this.redis.nowMs();
  }

  /** On a machine too slow leases end in the midst of a sequence, and what is right depends on it. */
  async isInTime(): Promise<boolean> {
    return (await this.redis.nowMs()) - this.settledAt <= this.ttlMs * 0.7;
  }

  async acquire(by: LeaseHolder, holdOff: HoldOff, floor: string, isLate: boolean): Promise<void> {
    const { epoch } = this.of(by);
    const floors = new Map([
      ['own', epoch],
      ['far', Math.max(FAR_FLOOR, epoch) + 5],
    ]);
    this.attempts += 1;
    const request = requestBy(by, {
      election: this.election,
      ttlMs: this.ttlMs,
      holdOff,
      floor: floors.get(floor) ?? 0,
      attempt: isLate ? 1 : this.attempts + 1,
    });
    const expected = rules.acquire(this.model, request, await this.moment());
    const answer = await this.store.acquire(request);
    if (answer.granted && expected.granted) {
      // Where an epoch jumps to the time, that time is the server's, and the model goes on with it.
      if (this.model.lease !== null) this.model.lease.epoch = answer.epoch;
      if (this.model.record !== null) this.model.record.epoch = answer.epoch;
      this.of(by).epoch = answer.epoch;
      this.of(by).attempts.push(request.attempt);
    }
    await this.same(comparable(answer), comparable(expected));
  }

  async renew(claim: Claim): Promise<void> {
    const { election, ttlMs } = this;
    const { attempt, epoch } = this.claimed(claim);
    if (epoch === 0) return; // Nobody leads with it.
    const request = renewalOf(claim.by, epoch, { election, ttlMs, attempt });
    const expected = rules.renew(this.model, request, await this.moment());
    await this.same(await this.store.renew(request), expected);
  }

  async release(claim: Claim): Promise<void> {
    const { attempt, epoch } = this.claimed(claim);
    const request = releaseTo(claim.by, epoch, { election: this.election, attempt });
    const expected = rules.release(this.model, request, await this.moment());
    await this.same(await this.store.release(request), expected);
  }

  async raiseEpoch(claim: Claim): Promise<void> {
    const { attempt, epoch } = this.claimed(claim);
    const request = renewalOf(claim.by, epoch, { election: this.election, attempt });
    const expected = rules.raiseEpoch(this.model, request, await this.moment());
    await this.same(await this.store.raiseEpoch(request), expected);
    if (expected) this.of(claim.by).epoch = epoch;
  }

  async inspect(): Promise<void> {
    const request = { election: this.election, timeoutMs: 5_000 };
    const { leader, seenEpoch } = rules.inspect(this.model, request, await this.moment());
    const answer = await this.store.inspect(request);
    await this.same({ leader: answer.leader, seenEpoch: answer.seenEpoch }, { leader, seenEpoch });
  }

  /** Evicted, or deleted by a person. */
  async lose(...what: ('lease' | 'record')[]): Promise<void> {
    for (const each of what) {
      await this.redis.admin.del(this.keys[each]);
      this.model[each] = null;
    }
  }

  /** What is there now is what the server has after `restart('old')`. */
  async save(): Promise<void> {
    await this.redis.admin.save();
    this.saved = structuredClone(this.model);
  }

  async restart(data: 'same' | 'empty' | 'old'): Promise<void> {
    if (data === 'same') await this.redis.restart();
    if (data === 'empty') await this.redis.restartEmpty();
    if (data === 'old') {
      await this.redis.kill();
      await this.redis.launch();
    }
    if (data === 'empty') this.model = { lease: null, record: null };
    if (data === 'old') this.model = this.saved;
    this.saved = structuredClone(this.model);
    this.serverId += 1;
    this.upMs = 0;
  }

  /** Compares what was answered, and what is kept now. Nothing where that depends on a moment that has passed. */
  private async same(answer: unknown, expected: unknown): Promise<void> {
    const kept = await this.kept();
    if (!(await this.isInTime())) return;
    expect(answer).toEqual(expected);
    const { lease, record } = this.model;
    const isLive = lease !== null && lease.expiresAt > this.settledAt;
    expect(kept).toEqual({
      lease: isLive ? `${lease.holder}|${lease.epoch}` : null,
      epoch: record === null ? 0 : record.epoch,
      attempt: record === null ? 0 : record.attempt,
      isReleased: record === null || record.expiresAt === 0,
      isServerKnown: record !== null && record.server !== '',
      holdOffMs: record?.holdOff?.lengthMs ?? 0,
    });
  }

  private async kept(): Promise<unknown> {
    const lease = await this.redis.admin.get(this.keys.lease);
    const record = await this.redis.admin.hgetall(this.keys.record);
    return {
      lease,
      epoch: Number(record['epoch'] ?? 0),
      attempt: Number(record['attempt'] ?? 0),
      isReleased: Number(record['expiresAt'] ?? 0) === 0,
      isServerKnown: Boolean(record['server']),
      holdOffMs: Number(record['holdOffMs'] ?? 0),
    };
  }

  private claimed({ by, attempt, epoch }: Claim): { attempt: number; epoch: number } {
    const granted = this.of(by);
    const [first = 0] = granted.attempts;
    const attempts = { granted: granted.attempts.at(-1) ?? 0, earlier: first, other: 777 };
    const known = this.model.record?.epoch ?? 0;
    const epochs = { granted: granted.epoch, none: 0, higher: Math.max(known, granted.epoch) + 3 };
    return { attempt: attempts[attempt], epoch: epochs[epoch] };
  }

  private of(by: LeaseHolder): Granted {
    const granted = this.granted.get(by) ?? { epoch: 0, attempts: [] };
    this.granted.set(by, granted);
    return granted;
  }

  private async moment(): Promise<rules.ServerMoment> {
    return { id: `server-${this.serverId}`, nowMs: await this.redis.nowMs(), upMs: this.upMs };
  }

  private get keys() {
    return electionKeys('leader-election', this.election);
  }
}

/** All that does not depend on the exact moment. */
function comparable(reply: AcquireReply): unknown {
  if (!reply.granted) {
    const { because, leader, seenEpoch, waitMs } = reply;
    return { because, leader, seenEpoch, mustWait: waitMs > 0 };
  }
  const jumped = Math.abs(reply.epoch - Date.now()) < 60_000;
  return { granted: true, epoch: jumped ? 'about now' : reply.epoch };
}
