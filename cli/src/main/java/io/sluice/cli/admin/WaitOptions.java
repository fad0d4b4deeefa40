package io.sluice.cli.admin;

import io.sluice.cli.control.OptionTypes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** How long {@code --wait} waits for servers, and how often it looks. */
final class WaitOptions {
  @Option(
      names = "--wait-timeout",
      paramLabel = "TIME",
      defaultValue = "24h",
      converter = OptionTypes.Millis.class,
      description = "Patience of --wait; default ${DEFAULT-VALUE}.")
  private long waitMs;

  @Option(
      names = "--poll",
      hidden = true,
      defaultValue = "5s",
      converter = OptionTypes.Millis.class)
  private long pollMs;

  /** Looks at servers. */
  interface Look {
    /** The names of those that are still waited for. */
    List<String> left() throws IOException;
  }

  /**
   * Looks until nobody is left.
   *
   * @param state of those that are left when the time is over
   * @throws IOException the time is over, or looking failed
   */
  void await(String state, Look look) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (true) {
      List<String> left = look.left();
      if (left.isEmpty()) {
        return;
      }
      long remainingNanos = deadlineNanos - System.nanoTime();
      if (remainingNanos <= 0) {
        throw new IOException(state + " when the time of --wait-timeout was over: " + left);
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(TimeUnit.MILLISECONDS.toNanos(pollMs), remainingNanos));
    }
  }
}
