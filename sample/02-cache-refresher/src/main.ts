import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';
import { settings } from './settings.js';

const app = await NestFactory.create(AppModule);
// On SIGTERM: drain the refresh that runs, release the lease, and the next leader is elected within milliseconds.
app.enableShutdownHooks();
await app.listen(settings.port);
