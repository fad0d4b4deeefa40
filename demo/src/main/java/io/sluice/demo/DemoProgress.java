package io.sluice.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * What the user sees while the demo works. Each step is announced on a line of its own; inside a
 * long step a terminal shows a bar, anything else gets a line now and then.
 */
interface DemoProgress extends AutoCloseable {

  /** A new step begins; a bar of the last one ends. */
  void step(String text);

  /**
   * The step that began last is {@code done} of {@code total} along; {@code text} says with what.
   */
  void advance(int done, int total, String text);

  @Override
  void close();

  /** Progress for a person at a terminal. */
  final class Terminal implements DemoProgress {
    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(250);

    private final PrintWriter out;
    private ProgressBar bar;

    Terminal(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void step(String text) {
      close();
      out.println(text);
      out.flush();
    }

    @Override
    public void advance(int done, int total, String text) {
      if (bar == null) {
        bar =
            new ProgressBarBuilder()
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis((int) UPDATE_INTERVAL.toMillis())
                .hideEta()
                .build();
      }
      bar.stepTo(done);
      bar.setExtraMessage(" " + text);
    }

    @Override
    public void close() {
      if (bar != null) {
        bar.close();
        bar = null;
      }
    }
  }

  /** Progress for a log: one line per step, with the time since the start. */
  final class Lines implements DemoProgress {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintWriter out;
    private final LongSupplier nanoTime;
    private final long startNanos;

    Lines(PrintWriter out, LongSupplier nanoTime) {
      this.out = out;
      this.nanoTime = nanoTime;
      this.startNanos = nanoTime.getAsLong();
    }

    @Override
    public void step(String text) {
      out.printf("[%4.0f s] %s%n", (nanoTime.getAsLong() - startNanos) / NANOS_PER_SECOND, text);
      out.flush();
    }

    @Override
    public void advance(int done, int total, String text) {
      step("  " + done + " of " + total + ": " + text);
    }

    @Override
    public void close() {}
  }
}
