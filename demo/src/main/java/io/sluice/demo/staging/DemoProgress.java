package io.sluice.demo.staging;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * What the user sees while the demo works. Each step is announced on a line of its own; inside a
 * long step a terminal shows a bar, anything else gets a line now and then.
 */
public interface DemoProgress extends AutoCloseable {
  /** Set by the launcher: whether standard error, where the bars go, is a terminal. */
  String TERMINAL = "sluice.terminal";

  /** For this process. */
  static DemoProgress to(PrintWriter out) {
    return Boolean.getBoolean(TERMINAL) ? new Terminal(out) : new Lines(out, System::nanoTime);
  }

  /** A new step begins; a bar of the last one ends. */
  void step(String text);

  /** The step that began last is {@code done} of {@code total} along; {@code text} is under way. */
  void advance(int done, int total, String text);

  /** A part of the step has ended, and {@code text} is what is worth knowing of it. */
  void result(int done, int total, String text);

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

  /** Progress for a log: one line per step, with the time since the start. */
  final class Lines implements DemoProgress {
    private static final double NANOS_PER_SECOND = 1e9;

    /** After this long without a line, one shows that the demo still works. */
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
