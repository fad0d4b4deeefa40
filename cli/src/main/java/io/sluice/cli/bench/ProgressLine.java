package io.sluice.cli.bench;

import java.io.PrintStream;
import java.io.PrintWriter;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress of a benchmark: a bar on a terminal, otherwise a line every few seconds. */
public final class ProgressLine implements AutoCloseable {
  private static final int BAR_INTERVAL_MS = 200;
  private static final int LINE_INTERVAL_MS = 3000;
  private static final int LINE_LENGTH = 100;
  private static final long UNIT_BYTES = 1 << 20;

  private final ProgressBar bar;

  private ProgressLine(ProgressBar bar) {
    this.bar = bar;
  }

  /** Thread-safe. */
  public void advance(long bytes) {
    bar.stepBy(bytes);
  }

  @Override
  public void close() {
    bar.close();
  }

  /** Creates progress lines. */
  public interface Factory {
    ProgressLine start(String task, long totalBytes);

    /**
     * Creates the factory of a command.
     *
     * @param terminal whether standard error is a terminal
     * @param err writer for lines if it is not
     */
    static Factory of(boolean terminal, PrintWriter err) {
      return (task, totalBytes) -> {
        ProgressBarBuilder builder =
            new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(totalBytes)
                .setUnit(" MiB", UNIT_BYTES)
                .showSpeed();
        if (terminal) {
          builder
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(BAR_INTERVAL_MS)
              .setConsumer(terminalConsumer());
        } else {
          builder
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(LINE_INTERVAL_MS)
              .setConsumer(new DelegatingProgressBarConsumer(err::println, LINE_LENGTH));
        }
        return new ProgressLine(builder.build());
      };
    }
  }

  private static me.tongfei.progressbar.ConsoleProgressBarConsumer terminalConsumer() {
    return new me.tongfei.progressbar.ConsoleProgressBarConsumer(new PrintStream(System.err, true));
  }
}
