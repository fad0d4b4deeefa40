package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.server.log.LeaseTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reports to every coordinator of the quorum, each on its own schedule, and forgets the
 * applications whose lease is over. All state lives on the one thread of the executor that is
 * passed in.
 */
public final class Heartbeats implements AutoCloseable {
  private final List<CoordinatorLink> links = new ArrayList<>();

  /**
   * @param executor single thread, owned by the caller, alive until {@link #close} has returned;
   *     must drop cancelled tasks, so that it can end at once afterwards
   * @param security proves who reports, where coordinators ask for it
   */
  public Heartbeats(
      HeartbeatConfig config,
      HeartbeatSource self,
      LeaseTable leases,
      ScheduledExecutorService executor,
      ClusterSecurity security) {
    this(
        config,
        self,
        leases,
        executor,
        coordinator -> ClusterChannels.toCoordinator(coordinator, security));
  }

  /**
   * As the other, with the network from the caller.
   *
   * @param channels opens a channel to a coordinator; owned by this object
   */
  public Heartbeats(
      HeartbeatConfig config,
      HeartbeatSource self,
      LeaseTable leases,
      ScheduledExecutorService executor,
      Function<HostPort, ManagedChannel> channels) {
    for (HostPort coordinator : config.coordinators()) {
      links.add(
          new CoordinatorLink(
              coordinator, config, self, leases, executor, () -> channels.apply(coordinator)));
    }
  }

  /** Begins to report. */
  public void start() {
    links.forEach(CoordinatorLink::start);
  }

  /** Coordinators that answered the last heartbeat to them. */
  public int answering() {
    return (int) links.stream().filter(CoordinatorLink::answering).count();
  }

  /** Coordinators of the quorum. */
  public int coordinators() {
    return links.size();
  }

  /** Heartbeats that a coordinator did not answer, since the start. */
  public long failures() {
    return links.stream().mapToLong(CoordinatorLink::failures).sum();
  }

  /**
   * Reports once more to every coordinator that answers, ahead of schedule, and waits until they
   * have answered or the time is over: how a server says that it is draining.
   */
  public void report(long timeoutMs) {
    CountDownLatch answers = new CountDownLatch(links.size());
    links.forEach(link -> link.reportNow(timeoutMs, answers::countDown));
    try {
      answers.await(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all reports. */
  @Override
  public void close() {
    links.forEach(CoordinatorLink::close);
  }
}
