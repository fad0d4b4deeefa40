package io.sluice.demo.staging;

import io.sluice.demo.driver.DriverMessage;
import java.io.IOException;
import java.time.Duration;

/** The running Spark drivers of both sides, ready for commands. Used by one thread. */
public final class DriverPair implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);

  private final DriverProcess builtIn;
  private final DriverProcess sluice;

  private DriverPair(DriverProcess builtIn, DriverProcess sluice) {
    this.builtIn = builtIn;
    this.sluice = sluice;
  }

  /** Starts the driver of one side without waiting until it is ready. */
  @FunctionalInterface
  public interface Starter {
    DriverProcess start(Side side) throws DemoException, IOException;
  }

  /** Starts both drivers and returns when both are ready. */
  public static DriverPair start(Starter starter)
      throws DemoException, IOException, InterruptedException {
    DriverProcess builtIn = starter.start(Side.BUILT_IN);
    DriverProcess sluice = null;
    try {
      sluice = starter.start(Side.SLUICE);
      builtIn.await(DriverMessage.Ready.class, READY_TIMEOUT);
      sluice.await(DriverMessage.Ready.class, READY_TIMEOUT);
      return new DriverPair(builtIn, sluice);
    } catch (DemoException | IOException | InterruptedException | RuntimeException e) {
      if (sluice != null) {
        sluice.close();
      }
      builtIn.close();
      throw e;
    }
  }

  /** The driver of a side. */
  public DriverProcess of(Side side) {
    return side == Side.BUILT_IN ? builtIn : sluice;
  }

  @Override
  public void close() {
    try {
      sluice.close();
    } finally {
      builtIn.close();
    }
  }
}
