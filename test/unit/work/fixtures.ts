import { Leadership } from '../../../lib/election/leadership.js';
import { LeaseTime } from '../../../lib/election/lease-time.js';
import { SystemClock } from '../../../lib/system-clock.js';
import { LeaderWork } from '../../../lib/work/leader-work.js';
import { RunContext } from '../../../lib/work/run-context.js';
import { ElectionRecorder } from '../../support/nest/election-recorder.js';

const time = new LeaseTime(new SystemClock());

export function leadership(epoch = 1, election = 'default'): Leadership {
  return new Leadership(election, epoch, 1, time, time.now() + 600_000);
}

/** The leader-only work of one election, of which `events` hears. */
export function leaderWork(context = new RunContext(), election = 'default') {
  const events = new ElectionRecorder();
  return { work: new LeaderWork(election, { context, events, time }), events, context };
}
