package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DriverProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The running Spark drivers of peers, ready for commands. Used by one thread. */
final class PeerDrivers implements AutoCloseable {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);

  private final Map<Peer, DriverProcess> drivers = new LinkedHashMap<>();

  private PeerDrivers() {}

  /** Starts the driver of a peer without waiting until it is ready. */
  @FunctionalInterface
  interface Starter {
    DriverProcess start(Peer peer) throws DemoException, IOException;
  }

  /** Starts all drivers and returns when all are ready. */
  static PeerDrivers start(List<Peer> peers, Starter starter)
      throws DemoException, IOException, InterruptedException {
    PeerDrivers started = new PeerDrivers();
    try {
      for (Peer peer : peers) {
        started.drivers.put(peer, starter.start(peer));
      }
      for (DriverProcess driver : started.drivers.values()) {
        driver.await(DriverMessage.Ready.class, READY_TIMEOUT);
      }
      return started;
    } catch (DemoException | IOException | InterruptedException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  DriverProcess of(Peer peer) {
    return drivers.get(peer);
  }

  @Override
  public void close() {
    drivers.values().forEach(DriverProcess::close);
  }
}
