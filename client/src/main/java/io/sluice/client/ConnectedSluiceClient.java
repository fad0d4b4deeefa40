package io.sluice.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.CoordinatorClient;
import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.coordinator.DriverEnvironment;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.coordinator.RefusedApplicationSession;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.local.BackgroundPusher;
import io.sluice.client.local.FinishedOutput;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushSession;
import io.sluice.client.push.PushWindows;
import io.sluice.client.push.SealedPush;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.security.ClientIdentity;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskTime;
import io.sluice.client.trace.TaskTraces;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.tls.ClientTls;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The client over one transport. Thread-safe. It starts threads only for the lease of a driver and
 * for background pushes.
 */
final class ConnectedSluiceClient implements SluiceClient {
  /** Minimum time between two halvings of a push window: about one round trip to a busy server. */
  private static final long HALVING_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * Time between two probes of a failing server: negligible cost, and a restarted server is found
   * soon.
   */
  private static final long PROBE_INTERVAL_MS = 10_000;

  private final ClientConfig config;
  private final String application;
  private final TaskEnvironment tasks;
  private final PushWindows windows;
  private final ByteBufAllocator allocator;
  private final TaskTime time;
  private final ApplicationCredentials credentials;
  private final ClientTls tls;
  // Guarded by this.
  private ApplicationSession session;
  private DirectRunFiles files;
  private TaskTraces traces;
  private BackgroundPusher background;
  private boolean closed;
  private ClientCounters counters = new ClientCounters(0, PushCounters.ZERO, 0, ReadCounters.ZERO);

  /**
   * @param transport takes: closed with the client
   * @param credentials credentials of the application, which the transport shares
   * @param allocator allocates frames and slices
   */
  ConnectedSluiceClient(
      ClientConfig config,
      String application,
      String clientName,
      DataTransport transport,
      ApplicationCredentials credentials,
      ClientTls tls,
      ByteBufAllocator allocator,
      TaskTime time) {
    this.config = config;
    this.credentials = credentials;
    this.tls = tls;
    this.application = application;
    this.allocator = allocator;
    this.time = time;
    this.windows =
        new PushWindows(
            config.push().frameBytes(), config.push().inFlightBytes(), HALVING_INTERVAL_NANOS);
    // The other half is for the engine, for TLS and for the caches of the allocator.
    DirectMemory memory =
        new DirectMemory(
            Math.min(config.directMemoryBytes(), PlatformDependent.maxDirectMemory() / 2));
    this.tasks =
        new TaskEnvironment(
            new ConnectionPool(
                transport, application, clientName, config.connection().perServer(), credentials),
            new ServerHealth(
                Math.min(PROBE_INTERVAL_MS, config.push().connectionRetry().retryPeriodMs()),
                time::nanoTime),
            memory,
            time);
  }

  @Override
  public String application() {
    return application;
  }

  @Override
  public ClientConfig config() {
    return config;
  }

  @Override
  public synchronized ApplicationSession applicationSession(
      String user, Map<String, String> environment, ServedSettings served) {
    if (closed) {
      throw new IllegalStateException("the client is closed");
    }
    if (session == null) {
      session = newSession(user, environment, served);
    }
    return session;
  }

  private ApplicationSession newSession(
      String user, Map<String, String> environment, ServedSettings served) {
    if (tls.problem().isPresent()) {
      return new RefusedApplicationSession(tls.problem().get());
    }
    ClientIdentity identity;
    try {
      identity = ClientIdentity.ofDriver(config.security(), user, environment, credentials);
    } catch (IOException e) {
      return new RefusedApplicationSession(e.getMessage());
    }
    DriverEnvironment environmentOfDriver = DriverEnvironment.of(tls, time::nanoTime);
    CoordinatorClientConfig coordinator = config.coordinator().afterWaiting(served.waitedMs());
    return new LeasedApplicationSession(
        application,
        user,
        version(),
        coordinator,
        new CoordinatorClient(coordinator, identity.userProofs(), environmentOfDriver),
        identity,
        environmentOfDriver);
  }

  @Override
  public ApplicationCredentials credentials() {
    return credentials;
  }

  private static String version() {
    String version = SluiceClient.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public PushSession pushSession(
      ShuffleAssignment assignment, MapAttempt attempt, PushOptions options) {
    return FramedPushSession.toServers(
        assignment,
        attempt,
        config.reassign().maxServers() > 0 ? options : options.withoutReplacementServers(),
        config.push(),
        tasks,
        windows,
        allocator,
        traces()
            .push(assignment.shuffle(), attempt)
            .andThen((counters, failure) -> pushed(counters)));
  }

  @Override
  public PushSession localSession(
      ShuffleAssignment assignment, MapAttempt attempt, PushOptions options) {
    return FramedPushSession.toLocalOutput(
        assignment.partitionCount(), attempt, options, config.push(), allocator, tasks.memory());
  }

  @Override
  public synchronized BackgroundPusher backgroundPusher() {
    if (background == null) {
      background =
          new BackgroundPusher(
              config.localOutput().background(),
              this::sealedPush,
              allocator,
              new SplittableRandom(),
              time::nanoTime);
      if (closed) {
        background.close();
      }
    }
    return background;
  }

  private SealedPush sealedPush(FinishedOutput output) {
    return new SealedPush(
        output.assignment(),
        output.attempt(),
        config.localOutput().background().push(),
        output.replacementServers(),
        tasks,
        windows);
  }

  private synchronized void pushed(PushCounters more) {
    counters =
        new ClientCounters(
            counters.pushSessions() + 1,
            counters.pushed().plus(more),
            counters.reads(),
            counters.read());
  }

  @Override
  public ShuffleRead read(ShuffleReadRequest request, PayloadTransform transform) {
    return new PooledShuffleRead(
        request,
        transform,
        config.read(),
        files(),
        tasks,
        allocator,
        traces().read(request).andThen((counters, failure) -> read(counters)));
  }

  /** Created by the first task: drivers need no OpenTelemetry. */
  private synchronized TaskTraces traces() {
    if (traces == null) {
      traces = TaskTraces.of(config.traced());
    }
    return traces;
  }

  private synchronized DirectRunFiles files() {
    if (files == null) {
      files = DirectRunFiles.open(config.runFiles(), credentials, tls);
      if (closed) {
        files.close();
      }
    }
    return files;
  }

  private synchronized void read(ReadCounters more) {
    counters =
        new ClientCounters(
            counters.pushSessions(),
            counters.pushed(),
            counters.reads() + 1,
            counters.read().plus(more));
  }

  @Override
  public synchronized ClientCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    ApplicationSession ending;
    BackgroundPusher pushing;
    DirectRunFiles reading;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      ending = session;
      pushing = background;
      reading = files;
    }
    if (pushing != null) {
      pushing.close();
    }
    try {
      if (ending != null) {
        ending.close();
      }
    } finally {
      if (reading != null) {
        reading.close();
      }
      tasks.pool().close();
    }
  }
}
