package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.CoordinatorClient;
import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.coordinator.DriverEnvironment;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.fake.VirtualExecutor;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.ReplacementServers;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.proto.TaskReport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The driver of an application: its session, and the newest assignments. One thread of the
 * simulation makes its calls, one after the other. Belongs to a simulation.
 */
final class SimulatedDriver {
  private static final int MAX_REPLACEMENT_SERVERS = 3;
  private static final int MAX_TRIES = 60;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CALL_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final SimulatedThreads time;
  private final SimulatedNetwork network;
  private final String name;
  private final Executor thread;
  private final ScheduledExecutorService background;
  private final LeasedApplicationSession session;
  private final ApplicationAssignments assignments;

  SimulatedDriver(
      SimulatedThreads time,
      SimulatedNetwork network,
      SimulatedCluster cluster,
      String application,
      int replicas) {
    this.time = time;
    this.network = network;
    this.name = nameOf(application);
    this.thread = time.serial(name);
    this.background = new VirtualExecutor(time, thread);
    CoordinatorClientConfig config =
        new CoordinatorClientConfig(
            cluster.coordinatorAddresses(),
            1_000,
            10_000,
            1_000,
            2_000,
            replicas,
            0,
            List.of(),
            "",
            false);
    DriverEnvironment environment =
        new DriverEnvironment(
            time::nanoTime,
            milliseconds -> time.advance(TimeUnit.MILLISECONDS.toNanos(milliseconds)),
            () -> background,
            (host, port, proofs) -> cluster.channel(name, host, true, proofs));
    ClientIdentity identity = ClientIdentity.ofTask(new ApplicationCredentials());
    session =
        new LeasedApplicationSession(
            application,
            "user",
            "simulation",
            config,
            new CoordinatorClient(config, identity.userProofs(), environment),
            identity,
            environment);
    assignments =
        new ApplicationAssignments(
            session::replacementServer, MAX_REPLACEMENT_SERVERS, time::nanoTime);
    session.onMoved(assignments::moved);
  }

  static String nameOf(String application) {
    return application + " driver";
  }

  private interface Call<T> {
    T call();
  }

  /** Makes a call on the driver's thread, and waits for it. */
  private <T> T call(Call<T> call) {
    VirtualTime.Signal done = new VirtualTime.Signal();
    CompletableFuture<T> result = new CompletableFuture<>();
    thread.execute(
        () -> {
          result.complete(call.call());
          done.give();
        });
    assertThat(time.await(done, time.nanoTime() + CALL_NANOS)).as("end of a call").isTrue();
    return result.getNow(null);
  }

  /** Registers a shuffle; a coordinator knows no servers soon after its start. */
  ShuffleAssignment register(int shuffle, int partitions) {
    for (int tries = 1; ; tries++) {
      ShuffleRegistration registration = call(() -> session.registerShuffle(shuffle, partitions));
      if (registration instanceof ShuffleRegistration.Assigned assigned) {
        assignments.register(assigned.assignment());
        return assigned.assignment();
      }
      assertThat(tries).as("registrations, last answer %s", registration).isLessThan(MAX_TRIES);
      time.advance(PAUSE_NANOS);
    }
  }

  /** Removes a shuffle from all servers, in the background. */
  void unregister(int shuffle) {
    assignments.forget(shuffle);
    session.unregisterShuffle(shuffle);
  }

  ShuffleAssignment newest(int shuffle) {
    return assignments.newest(shuffle);
  }

  /** The newest assignment, as a task gets it from its driver. */
  CompletableFuture<ShuffleAssignment> newest(ShuffleAssignment known) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    time.schedule(
        network.delayNanos(),
        () -> answer.complete(assignments.newest(known.shuffle().getShuffle())));
    return answer;
  }

  /** A task reports that a server failed or is full. */
  CompletableFuture<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, ReplacementServers.Cause cause, List<Integer> full) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    time.schedule(
        network.delayNanos(),
        () ->
            thread.execute(
                () ->
                    answer.complete(
                        assignments.replace(known.shuffle().getShuffle(), server, cause, full))));
    return answer;
  }

  /** Reports what the tasks of the application waited for. */
  void report(TaskReport tasks) {
    session.tasksFrom(() -> tasks);
  }

  /** Ends the application. */
  void close() {
    Object unused =
        call(
            () -> {
              session.close();
              return session;
            });
  }

  /** The process of the driver crashes: only the end of its lease ends the application. */
  void crash() {
    background.shutdownNow();
  }
}
