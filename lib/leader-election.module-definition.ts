import { ConfigurableModuleBuilder } from '@nestjs/common';

import type { LeaderElectionOptions } from './options/leader-election-options.interface.js';

export const {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN: LEADER_ELECTION_OPTIONS,
  ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<LeaderElectionOptions>({ moduleName: 'LeaderElection' })
  .setClassMethodName('forRoot')
  .build();
