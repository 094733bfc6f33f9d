import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';
import { settings } from './settings.js';

const app = await NestFactory.create(AppModule);
// On SIGTERM: wait for the refresh that runs, release the lease, and another leads within milliseconds. Then exit with
// 0: otherwise Nest sends itself the signal again, which reads as a failure (143) and which PID 1 never gets.
app.enableShutdownHooks([], { useProcessExit: true });
await app.listen(settings.port);
