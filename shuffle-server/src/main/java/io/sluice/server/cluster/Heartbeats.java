package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.HostPort;
import io.sluice.server.log.LeaseTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Sends heartbeats to every coordinator of the quorum, each on its own schedule, and deletes
 * applications whose lease has expired. All state is confined to the single thread of the given
 * executor.
 */
public final class Heartbeats implements AutoCloseable {
  private final List<CoordinatorLink> links = new ArrayList<>();

  /**
   * @param executor single thread, owned by the caller, running until {@link #close} has returned;
   *     must remove cancelled tasks, so that it can end at once afterwards
   * @param security credentials, if coordinators require them
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
        security.revocations(),
        executor,
        coordinator -> ClusterChannels.toCoordinator(coordinator, security));
  }

  /**
   * As the other, with the network from the caller.
   *
   * @param revocations receives the revoked tokens that coordinators report
   * @param channels opens a channel to a coordinator; owned by this object
   */
  public Heartbeats(
      HeartbeatConfig config,
      HeartbeatSource self,
      LeaseTable leases,
      Revocations revocations,
      ScheduledExecutorService executor,
      Function<HostPort, ManagedChannel> channels) {
    for (HostPort coordinator : config.coordinators()) {
      links.add(
          new CoordinatorLink(
              coordinator,
              config,
              self,
              leases,
              revocations,
              executor,
              () -> channels.apply(coordinator)));
    }
  }

  /** Starts the heartbeats. */
  public void start() {
    links.forEach(CoordinatorLink::start);
  }

  /** Number of coordinators that answered the last heartbeat. */
  public int answering() {
    return (int) links.stream().filter(CoordinatorLink::answering).count();
  }

  /** Number of coordinators of the quorum. */
  public int coordinators() {
    return links.size();
  }

  /** Number of heartbeats without a reply since the start. */
  public long failures() {
    return links.stream().mapToLong(CoordinatorLink::failures).sum();
  }

  /**
   * Sends a heartbeat at once to every coordinator that answers, and waits for the replies until
   * the timeout. Used to report a drain.
   */
  public void report(long timeoutMs) {
    CountDownLatch answers = new CountDownLatch(links.size());
    report(timeoutMs, answers::countDown);
    try {
      answers.await(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * As {@link #report(long)}, without waiting.
   *
   * @param answered called once for each coordinator, after its reply or the timeout
   */
  public void report(long timeoutMs, Runnable answered) {
    links.forEach(link -> link.reportNow(timeoutMs, answered));
  }

  /** Stops all heartbeats. */
  @Override
  public void close() {
    links.forEach(CoordinatorLink::close);
  }
}
