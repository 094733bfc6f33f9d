/** `Contestant.id` of this library. */
export const OURS = 'nestjs-leader-election';
