/** What wakes a candidate of a quorum, and how its store is closed. */
import { describe, expect, it } from '@jest/globals';
import { QuorumContest } from '../support/quorum/quorum-contest.js';
import { holder, requestBy } from '../support/redis/requests.js';

const A = holder('a');
const B = holder('b');

function watching() {
  const contest = new QuorumContest();
  const node = contest.add();
  const heard = { freed: 0, reconnected: 0, noticed: [] as string[] };
  const unwatch = node.store.watch('jobs', {
    freed: () => (heard.freed += 1),
    reconnected: () => (heard.reconnected += 1),
    noticed: (text) => heard.noticed.push(text),
  });
  return { contest, ...node, heard, unwatch };
}

/** A try of A that is refused by two servers before the third has granted it. */
async function withdrawing() {
  const contest = new QuorumContest();
  for (const index of [1, 2]) await contest.server(index).store.acquire(requestBy(B));
  const node = contest.add();
  const answer = node.store.acquire(requestBy(A, { timeoutMs: 2_000 }));
  return { contest, ...node, answer };
}

describe('A watcher of a quorum', () => {
  it('is woken once by a release that is heard from each server', async () => {
    const { contest, links, heard, unwatch } = watching();
    for (const link of links) link.tell((watcher) => watcher.freed());
    await contest.advance(10);
    expect(heard.freed).toBe(1);
    links[0]!.tell((watcher) => watcher.freed());
    await contest.advance(10);
    expect(heard.freed).toBe(2);
    unwatch();
  });

  it('is woken within a few milliseconds by the first, where the others are not heard', async () => {
    const { contest, links, heard, unwatch } = watching();
    links[1]!.tell((watcher) => watcher.freed());
    await contest.advance(5);
    expect(heard.freed).toBe(1);
    unwatch();
  });

  it('hears of connections and of what is wrong with a server', async () => {
    const { links, heard, unwatch } = watching();
    links[2]!.tell((watcher) => watcher.reconnected());
    links[2]!.tell((watcher) => watcher.noticed?.('This Redis is a replica.'));
    expect(heard).toMatchObject({
      reconnected: 1,
      noticed: ['Server 3 of 3: This Redis is a replica.'],
    });
    unwatch();
  });

  it('hears nothing more once it has stopped, and leaves no timer', async () => {
    const { contest, clock, links, heard, unwatch } = watching();
    links[0]!.tell((watcher) => watcher.freed());
    unwatch();
    expect(clock.pendingTimers).toBe(0);
    for (const link of links) link.tell((watcher) => watcher.freed());
    await contest.advance(10);
    expect(heard.freed).toBe(0);
    expect(links.map(({ openWatchers }) => openWatchers)).toEqual([0, 0, 0]);
  });
});

describe('Closing a quorum', () => {
  it('waits for a try that is being withdrawn', async () => {
    const { contest, store, links, answer } = await withdrawing();
    links[0]!.trouble = () => ({ replyMs: 50 });
    await answer;
    const closing = store.close();
    await contest.advance(100);
    await closing;
    expect(links[0]!.count('release')).toBe(1);
    expect(contest.server(0).stored('jobs').lease).toBeNull();
    expect(links.map(({ closed }) => closed)).toEqual([true, true, true]);
  });

  it('does not wait long for a server that is silent, however patient the calls are', async () => {
    const contest = new QuorumContest();
    contest.server(0).trouble = { lose: 'request' };
    const { store, links, clock } = contest.add();
    const granted = store.acquire(requestBy(A, { timeoutMs: 600_000 }));
    await contest.advance(0);
    expect(await granted).toMatchObject({ granted: true });
    let closed = false;
    const closing = store.close().then(() => (closed = true));
    await contest.advance(1_000);
    expect(closed).toBe(true);
    await closing;
    expect(links.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is done at once where nothing is under way, also twice', async () => {
    const contest = new QuorumContest();
    const { store, clock } = contest.add();
    await store.close();
    await store.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
