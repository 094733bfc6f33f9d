import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';

const app = await NestFactory.createApplicationContext(AppModule);
// Without this line a SIGTERM ends the process at once, and the others wait for its lease to run out.
app.enableShutdownHooks();
