import type { LoggerService } from '@nestjs/common';

type Level = 'log' | 'error' | 'warn' | 'debug' | 'verbose' | 'fatal';

export interface LogLine {
  readonly level: Level;
  readonly text: string;
  readonly context: string;
}

/** Keeps what Nest's loggers say, in place of printing it. */
export class RecordingLogger implements LoggerService {
  readonly lines: LogLine[] = [];

  /** Texts of this level, by default those of the election. */
  texts(level: Level, context = 'LeaderService'): string[] {
    return this.lines
      .filter((line) => line.level === level && line.context === context)
      .map(({ text }) => text);
  }

  log = this.keep('log');
  error = this.keep('error');
  warn = this.keep('warn');
  debug = this.keep('debug');
  verbose = this.keep('verbose');
  fatal = this.keep('fatal');

  private keep(level: Level): (message: unknown, ...rest: unknown[]) => void {
    return (message, ...rest) => {
      const text = message instanceof Error ? message.message : String(message);
      this.lines.push({ level, text, context: lastText(rest) });
    };
  }
}

/** Nest hands the context on as the last argument. */
function lastText(rest: readonly unknown[]): string {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : '';
}
