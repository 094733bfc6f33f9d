/** The log as the README advises: everything but debug. */
import { Logger } from '@nestjs/common';

export function quietLogger(): void {
  Logger.overrideLogger(['log', 'warn', 'error', 'fatal']);
}
