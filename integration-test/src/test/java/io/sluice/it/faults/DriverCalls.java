package io.sluice.it.faults;

import io.sluice.client.ClientConfig;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.CoordinatorClient;
import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.coordinator.DriverEnvironment;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.ClientTls;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * The calls of drivers to coordinators, with the timeouts of the default configuration, without an
 * engine. Thread-safe.
 */
final class DriverCalls implements AutoCloseable {
  private final CoordinatorClientConfig config;
  private final ApplicationSession running;

  // All guarded by this.
  private final Deque<ApplicationSession> started = new ArrayDeque<>();
  private int applications;
  private int shuffles;

  /**
   * @param quorum addresses of coordinators as {@code host:port,host:port}
   */
  DriverCalls(String quorum) {
    config =
        ClientConfig.from(
                ConfigSet.of(ClientConfig.SCHEMA, Map.of("rss.coordinator.quorum", quorum)))
            .coordinator();
    running = session("running");
  }

  private ApplicationSession session(String application) {
    ClientIdentity identity = ClientIdentity.ofTask(new ApplicationCredentials());
    DriverEnvironment environment = DriverEnvironment.of(ClientTls.OFF, System::nanoTime);
    return new LeasedApplicationSession(
        "driver-calls-" + application,
        "test",
        "test",
        config,
        new CoordinatorClient(config, identity.userProofs(), environment),
        identity,
        environment);
  }

  /** Registers a shuffle of an application that has run before; returns the outcome. */
  ShuffleRegistration registerShuffle() {
    int shuffle;
    synchronized (this) {
      shuffle = shuffles++;
    }
    return running.registerShuffle(shuffle, 1);
  }

  /**
   * Starts applications until one has servers: coordinators have written its registration to their
   * log.
   *
   * @return number of applications that were refused before
   */
  int startApplication() {
    for (int refused = 0; !Thread.currentThread().isInterrupted(); refused++) {
      ApplicationSession session;
      synchronized (this) {
        session = session("started-" + applications++);
        started.add(session);
      }
      ShuffleRegistration outcome = session.registerShuffle(0, 1);
      if (outcome instanceof Assigned) {
        return refused;
      }
      if (outcome instanceof Refused refusal && refusal.reason() != Reason.NO_COORDINATOR) {
        throw new IllegalStateException(refusal.reason() + ": " + refusal.message());
      }
    }
    throw new IllegalStateException("interrupted");
  }

  /** Ends the applications that {@link #startApplication} started. */
  void endStarted() {
    while (true) {
      ApplicationSession session;
      synchronized (this) {
        session = started.poll();
      }
      if (session == null) {
        return;
      }
      session.close();
    }
  }

  @Override
  public void close() {
    endStarted();
    running.close();
  }
}
