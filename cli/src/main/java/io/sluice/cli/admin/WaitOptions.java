package io.sluice.cli.admin;

import io.sluice.cli.control.OptionTypes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** Timeout and poll interval of {@code --wait}. */
final class WaitOptions {
  @Option(
      names = "--wait-timeout",
      paramLabel = "TIME",
      defaultValue = "24h",
      converter = OptionTypes.Millis.class,
      description = "Timeout of --wait; default ${DEFAULT-VALUE}.")
  private long waitMs;

  @Option(
      names = "--poll",
      hidden = true,
      defaultValue = "5s",
      converter = OptionTypes.Millis.class)
  private long pollMs;

  /** Reads the state of servers. */
  interface Poll {
    /** Names of the servers that have not reached the wanted state. */
    List<String> left() throws IOException;
  }

  /**
   * Polls until all servers have reached the wanted state.
   *
   * @param state of the remaining servers, for the error message after a timeout
   * @throws IOException if {@code --wait-timeout} expired, or a poll failed
   */
  void await(String state, Poll poll) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    while (true) {
      List<String> left = poll.left();
      if (left.isEmpty()) {
        return;
      }
      long remainingNanos = deadlineNanos - System.nanoTime();
      if (remainingNanos <= 0) {
        throw new IOException(state + " when --wait-timeout expired: " + left);
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(TimeUnit.MILLISECONDS.toNanos(pollMs), remainingNanos));
    }
  }
}
