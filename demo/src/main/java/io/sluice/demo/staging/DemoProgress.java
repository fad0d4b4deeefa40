package io.sluice.demo.staging;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Progress output of the demo. Each step is announced on a line. During a long step, a terminal
 * shows a bar; otherwise a line is printed from time to time.
 */
public interface DemoProgress extends AutoCloseable {
  /**
   * System property set by the launcher: whether standard error, the output of the bars, is a
   * terminal.
   */
  String TERMINAL = "sluice.terminal";

  /** Creates the progress output of this process. */
  static DemoProgress to(PrintWriter out) {
    return Boolean.getBoolean(TERMINAL) ? new Terminal(out) : new Lines(out, System::nanoTime);
  }

  /** Starts a new step and ends the bar of the last one. */
  void step(String text);

  /**
   * Reports that {@code done} of {@code total} parts of the current step are done; {@code text}
   * describes the running part.
   */
  void advance(int done, int total, String text);

  /** Reports the result of a part of the current step. */
  void result(int done, int total, String text);

  @Override
  void close();

  /** Progress on a terminal. */
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
    public void result(int done, int total, String text) {
      advance(done, total, text);
    }

    @Override
    public void close() {
      if (bar != null) {
        bar.close();
        bar = null;
      }
    }
  }

  /** Progress in a log: one line per step, with the time since the start. */
  final class Lines implements DemoProgress {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Maximum time without a line during a step. */
    private static final long QUIET_NANOS = 15_000_000_000L;

    private final PrintWriter out;
    private final LongSupplier nanoTime;
    private final long startNanos;
    private long lastLineNanos;

    Lines(PrintWriter out, LongSupplier nanoTime) {
      this.out = out;
      this.nanoTime = nanoTime;
      this.startNanos = nanoTime.getAsLong();
      this.lastLineNanos = startNanos;
    }

    @Override
    public void step(String text) {
      lastLineNanos = nanoTime.getAsLong();
      out.printf(
          Locale.ROOT, "[%4.0f s] %s%n", (lastLineNanos - startNanos) / NANOS_PER_SECOND, text);
      out.flush();
    }

    @Override
    public void advance(int done, int total, String text) {
      long nowNanos = nanoTime.getAsLong();
      if (nowNanos - lastLineNanos >= QUIET_NANOS) {
        result(done, total, text);
      }
    }

    @Override
    public void result(int done, int total, String text) {
      step("  " + done + " of " + total + ": " + text);
    }

    @Override
    public void close() {}
  }
}
