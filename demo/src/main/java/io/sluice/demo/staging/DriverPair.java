package io.sluice.demo.staging;

import io.sluice.demo.driver.DriverMessage;
import java.io.IOException;
import java.time.Duration;

/**
 * The Spark drivers of both sides, which live side by side and are ready for commands. Belongs to
 * one thread.
 */
public final class DriverPair implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);

  private final DriverProcess own;
  private final DriverProcess sluice;

  private DriverPair(DriverProcess own, DriverProcess sluice) {
    this.own = own;
    this.sluice = sluice;
  }

  /** Starts the driver of one side; does not wait for it. */
  @FunctionalInterface
  public interface Starter {
    DriverProcess start(Side side) throws DemoException, IOException;
  }

  /** Starts both drivers together and returns when both have their executors and tables. */
  public static DriverPair start(Starter starter)
      throws DemoException, IOException, InterruptedException {
    DriverProcess own = starter.start(Side.OWN);
    DriverProcess sluice = null;
    try {
      sluice = starter.start(Side.SLUICE);
      own.await(DriverMessage.Ready.class, READY_TIMEOUT);
      sluice.await(DriverMessage.Ready.class, READY_TIMEOUT);
      return new DriverPair(own, sluice);
    } catch (DemoException | IOException | InterruptedException | RuntimeException e) {
      if (sluice != null) {
        sluice.close();
      }
      own.close();
      throw e;
    }
  }

  /** The driver of a side. */
  public DriverProcess of(Side side) {
    return side == Side.OWN ? own : sluice;
  }

  @Override
  public void close() {
    try {
      sluice.close();
    } finally {
      own.close();
    }
  }
}
