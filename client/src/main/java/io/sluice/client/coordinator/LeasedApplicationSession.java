package io.sluice.client.coordinator;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.client.coordinator.CoordinatorClient.Patience;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterApplicationRequest;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application session that renews its lease on a daemon thread of its own. Thread-safe; calls to
 * coordinators are made without a lock.
 */
public final class LeasedApplicationSession implements ApplicationSession {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedApplicationSession.class);

  private static final int MAX_PARTITIONS = (1 << 24) - 1;

  /** Wait before the next renewal after one that no coordinator answered. */
  private static final long RENEW_AGAIN_MS = 1_000;

  /** For a coordinator that names no lease. */
  private static final long DEFAULT_LEASE_MS = 60_000;

  /** What is not deleted by then is deleted when the lease ends. */
  private static final long UNREGISTER_TIMEOUT_MS = 10_000;

  private final String application;
  private final String user;
  private final String clientVersion;
  private final CoordinatorClientConfig config;
  private final CoordinatorClient coordinators;
  private final ClientIdentity identity;
  private final DriverEnvironment environment;
  private final ScheduledExecutorService background;
  private final Map<Integer, Registered> shuffles = new ConcurrentHashMap<>();
  // Of all shuffles. Further servers that stand in for silent coordinators come from here.
  private final Map<String, ServerId> servers = new ConcurrentHashMap<>();
  private final AtomicInteger turns = new AtomicInteger();
  private volatile MovedShuffles moved;
  // Moves that no coordinator has heard to be applied. Touched by the background thread alone.
  private final Set<ShuffleMove> appliedMoves = new LinkedHashSet<>();
  // Both guarded by this.
  private int fallbacks;
  private String lastFallback = "";
  private volatile boolean registered;
  private volatile boolean coordinatorsAway;
  private volatile boolean closed;

  /** A shuffle, and every server that may have something of it. Immutable. */
  private record Registered(int partitions, Map<String, ServerId> servers) {
    Registered {
      servers = Map.copyOf(servers);
    }

    Registered with(ServerId server) {
      Map<String, ServerId> more = new HashMap<>(servers);
      more.putIfAbsent(server.getName(), server);
      return new Registered(partitions, more);
    }
  }

  /**
   * @param coordinators takes: closed with the session
   * @param user operating-system user that the job runs as
   * @param identity keeps the tokens that coordinators grant
   */
  public LeasedApplicationSession(
      String application,
      String user,
      String clientVersion,
      CoordinatorClientConfig config,
      CoordinatorClient coordinators,
      ClientIdentity identity,
      DriverEnvironment environment) {
    this.application = application;
    this.user = user;
    this.clientVersion = clientVersion;
    this.config = config;
    this.coordinators = coordinators;
    this.identity = identity;
    this.environment = environment;
    this.background = environment.background().get();
  }

  @Override
  public ShuffleRegistration registerShuffle(int shuffle, int partitions) {
    ShuffleRegistration outcome = tryToRegister(shuffle, partitions);
    if (outcome instanceof Refused refused) {
      // Told with the next renewal, so that operators see which applications do without us, and
      // why.
      synchronized (this) {
        fallbacks++;
        lastFallback = refused.reason() + ": " + refused.message();
      }
    }
    return outcome;
  }

  private ShuffleRegistration tryToRegister(int shuffle, int partitions) {
    if (closed) {
      return new Refused(Reason.CLOSED, "the client of application " + application + " is closed");
    }
    if (!coordinators.isConfigured()) {
      return new Refused(
          Reason.NOT_CONFIGURED, "rss.coordinator.quorum is not set; give host:port,host:port");
    }
    if (partitions < 1 || partitions > MAX_PARTITIONS) {
      return new Refused(
          Reason.UNSUPPORTED,
          "shuffle "
              + shuffle
              + " has "
              + partitions
              + " partitions; 1 to "
              + MAX_PARTITIONS
              + " can be served");
    }
    Patience patience = coordinatorsAway ? Patience.ONE_ROUND : Patience.FULL;
    try {
      ShuffleRegistration outcome = register(shuffle, partitions, patience);
      coordinatorsAway = false;
      return outcome;
    } catch (SluiceException e) {
      if (e.code() == StatusCode.DENIED) {
        return new Refused(Reason.DENIED, e.getMessage());
      }
      coordinatorsAway = true;
      return new Refused(Reason.NO_COORDINATOR, e.getMessage());
    }
  }

  private ShuffleRegistration register(int shuffle, int partitions, Patience patience)
      throws SluiceException {
    ShuffleId id = ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle).build();
    RegisterShuffleRequest request =
        RegisterShuffleRequest.newBuilder()
            .setShuffle(id)
            .setPartitionCount(partitions)
            .setReplicas(config.replicas())
            .setMaxServers(config.maxServers())
            .addAllRequiredTags(config.requiredTags())
            .build();
    Answer answer = ask(request, patience);
    if (answer.refused() != null) {
      return answer.refused();
    }
    ShuffleAssignment assignment;
    try {
      assignment = ShuffleAssignment.of(id, partitions, answer.reply());
    } catch (SluiceException e) {
      return new Refused(Reason.UNSUPPORTED, e.getMessage());
    }
    assignment.servers().forEach(server -> servers.put(server.getName(), server));
    Map<String, ServerId> ofShuffle = new HashMap<>();
    assignment.servers().forEach(server -> ofShuffle.put(server.getName(), server));
    shuffles.put(shuffle, new Registered(partitions, ofShuffle));
    return new Assigned(assignment);
  }

  /** What the coordinator gave; one of the two is null. */
  private record Answer(RegisterShuffleReply reply, Refused refused) {}

  /** Asks for servers, and registers the application first where that is needed. */
  private Answer ask(RegisterShuffleRequest request, Patience patience) throws SluiceException {
    Refused refused = registered ? null : registerApplication(patience);
    if (refused != null) {
      return new Answer(null, refused);
    }
    RegisterShuffleReply reply = coordinators.registerShuffle(request, patience);
    if (StatusCode.of(reply.getStatus()) == StatusCode.UNKNOWN_APPLICATION) {
      // Another coordinator than before, or the same one without its memory.
      refused = registerApplication(patience);
      if (refused != null) {
        return new Answer(null, refused);
      }
      reply = coordinators.registerShuffle(request, patience);
    }
    StatusCode status = StatusCode.of(reply.getStatus());
    return status == StatusCode.OK
        ? new Answer(reply, null)
        : new Answer(null, refused(status, reply.getMessage()));
  }

  @Override
  public Optional<ServerId> replacementServer(
      int shuffle, int partitions, Collection<String> excluded) {
    Registered known = shuffles.get(shuffle);
    if (closed || known == null) {
      return Optional.empty();
    }
    RegisterShuffleRequest request =
        RegisterShuffleRequest.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle))
            .setPartitionCount(known.partitions())
            .setReplacementPartitions(Math.max(1, Math.min(partitions, known.partitions())))
            .setReplicas(1)
            .setMaxServers(1)
            .addAllRequiredTags(config.requiredTags())
            .addAllExcludedServers(excluded)
            .build();
    Optional<ServerId> given;
    try {
      Answer answer = ask(request, Patience.ONE_ROUND);
      coordinatorsAway = false;
      if (answer.refused() != null) {
        LOG.info(
            "no further server app={} shuffle={} reason={} message={}",
            application,
            shuffle,
            answer.refused().reason(),
            answer.refused().message());
      }
      given =
          Optional.ofNullable(answer.reply())
              .filter(reply -> reply.getServersCount() > 0)
              .map(reply -> reply.getServers(0))
              // A coordinator that knows nothing of further servers heeds the names all the same.
              .filter(server -> !excluded.contains(server.getName()))
              .filter(server -> ShuffleAssignment.problemOf(server) == null);
    } catch (SluiceException e) {
      coordinatorsAway = true;
      LOG.info(
          "further server taken from those in use app={} shuffle={} reason={}",
          application,
          shuffle,
          e.getMessage());
      given = oneInUse(excluded);
    }
    if (given.isEmpty()) {
      return given;
    }
    ServerId server = given.get();
    servers.put(server.getName(), server);
    Registered now = shuffles.computeIfPresent(shuffle, (number, before) -> before.with(server));
    return now == null ? Optional.empty() : given;
  }

  private Optional<ServerId> oneInUse(Collection<String> excluded) {
    List<ServerId> usable =
        servers.values().stream()
            .filter(server -> !excluded.contains(server.getName()))
            .sorted(Comparator.comparing(ServerId::getName))
            .toList();
    return usable.isEmpty()
        ? Optional.empty()
        : Optional.of(usable.get(Math.floorMod(turns.getAndIncrement(), usable.size())));
  }

  /** Null when the application is registered. */
  private Refused registerApplication(Patience patience) throws SluiceException {
    RegisterApplicationReply reply =
        coordinators.registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setUser(user)
                .setClientVersion(clientVersion)
                .setContinued(registered)
                .build(),
            patience);
    StatusCode status = StatusCode.of(reply.getStatus());
    if (status != StatusCode.OK) {
      return refused(status, reply.getMessage());
    }
    identity.learn(reply.hasToken(), reply.getToken(), application);
    boolean first;
    synchronized (this) {
      first = !registered;
      registered = true;
    }
    if (first) {
      renewAfter(thirdOf(reply.getLeaseMs()));
    }
    return null;
  }

  private static Refused refused(StatusCode status, String message) {
    Reason reason =
        switch (status) {
          case NO_SERVERS, BUSY, DRAINING, NO_SPACE, LEAVING -> Reason.NO_SERVERS;
          case DENIED, UNKNOWN_APPLICATION, EXPIRED -> Reason.DENIED;
          case OK,
              NEVER_WRITTEN,
              LOST,
              STALE_EPOCH,
              OUT_OF_RANGE,
              BLOCK_CORRUPT,
              FRAME_CORRUPT,
              FRAME_TOO_LARGE,
              STORAGE_FAILED,
              BAD_VERSION,
              BAD_MESSAGE,
              BAD_REQUEST,
              INTERNAL ->
              Reason.UNSUPPORTED;
        };
    return new Refused(reason, message.isEmpty() ? "the coordinator says " + status : message);
  }

  private static long thirdOf(long leaseMs) {
    return Math.max(1, (leaseMs > 0 ? leaseMs : DEFAULT_LEASE_MS) / 3);
  }

  private void renewAfter(long delayMs) {
    try {
      ScheduledFuture<?> unused = background.schedule(this::renew, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("lease is not renewed after the end app={}", application);
    }
  }

  /** Runs on the background thread; schedules itself again, whatever happens. */
  private void renew() {
    if (closed) {
      return;
    }
    long nextMs = RENEW_AGAIN_MS;
    try {
      RenewLeaseReply reply = coordinators.renewLease(renewal());
      StatusCode status = StatusCode.of(reply.getStatus());
      if (status == StatusCode.OK) {
        nextMs = thirdOf(reply.getLeaseMs());
        identity.learn(reply.hasToken(), reply.getToken(), application);
        appliedMoves.clear();
        if (applyMoves(reply.getMovesList())) {
          // A server waits for this before it leaves.
          nextMs = Math.min(nextMs, RENEW_AGAIN_MS);
        }
      } else if (status == StatusCode.UNKNOWN_APPLICATION) {
        Refused refused = registerApplication(Patience.ONE_ROUND);
        if (refused == null) {
          LOG.info("application registered again app={}", application);
        } else {
          LOG.warn(
              "application cannot be registered again app={} reason={} message={}",
              application,
              refused.reason(),
              refused.message());
        }
      }
      if (coordinatorsAway) {
        LOG.info("coordinator answers again app={}", application);
      }
      coordinatorsAway = false;
    } catch (SluiceException e) {
      if (!coordinatorsAway) {
        LOG.warn("lease not renewed, trying on app={} reason={}", application, e.getMessage());
      }
      coordinatorsAway = true;
    } catch (RuntimeException e) {
      LOG.error("lease not renewed, trying on app={}", application, e);
    } finally {
      renewAfter(nextMs);
    }
  }

  /** Whether any was applied. */
  private boolean applyMoves(List<ShuffleMove> moves) {
    MovedShuffles listener = moved;
    for (ShuffleMove move : moves) {
      ServerId to = move.getTo();
      int shuffle = move.getShuffle().getShuffle();
      if (listener != null
          && ShuffleAssignment.problemOf(to) == null
          && !to.getName().equals(move.getFrom())
          && listener.moved(shuffle, move.getFrom(), to)) {
        // It is told to forget the shuffle like all others.
        if (shuffles.computeIfPresent(shuffle, (number, before) -> before.with(to)) != null) {
          servers.put(to.getName(), to);
        }
        appliedMoves.add(move);
      }
    }
    return !appliedMoves.isEmpty();
  }

  @Override
  public void onMoved(MovedShuffles listener) {
    moved = listener;
  }

  private synchronized RenewLeaseRequest renewal() {
    return RenewLeaseRequest.newBuilder()
        .addAllAppliedMoves(appliedMoves)
        .setApplication(application)
        .setFallbackShuffles(fallbacks)
        .setLastFallbackReason(lastFallback)
        .build();
  }

  @Override
  public void unregisterShuffle(int shuffle) {
    Registered known = shuffles.remove(shuffle);
    if (known == null) {
      return;
    }
    try {
      background.execute(() -> forget(known.servers().values(), List.of(shuffle)));
    } catch (RejectedExecutionException e) {
      // The whole application is being forgotten.
      LOG.debug("shuffle ends with its application app={} shuffle={}", application, shuffle);
    }
  }

  /**
   * Tells servers to forget shuffles, or the whole application; all servers together get ten
   * seconds.
   *
   * @param which empty: all
   */
  private void forget(Iterable<ServerId> where, List<Integer> which) {
    long deadline =
        environment.nanoTime().getAsLong() + TimeUnit.MILLISECONDS.toNanos(UNREGISTER_TIMEOUT_MS);
    Map<String, ManagedChannel> channels = new HashMap<>();
    try {
      for (ServerId server : where) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - environment.nanoTime().getAsLong());
        if (leftMs <= 0) {
          return;
        }
        ManagedChannel channel =
            channels.computeIfAbsent(
                server.getName(),
                name ->
                    environment
                        .channels()
                        .open(server.getHost(), server.getRpcPort(), identity.applicationProofs()));
        forget(server, channel, which, leftMs);
      }
    } finally {
      channels.values().forEach(ManagedChannel::shutdownNow);
    }
  }

  private void forget(
      ServerId server, ManagedChannel channel, List<Integer> which, long timeoutMs) {
    try {
      ShuffleServerControlGrpc.ShuffleServerControlBlockingStub stub =
          ShuffleServerControlGrpc.newBlockingStub(channel)
              .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS);
      if (which.isEmpty()) {
        stub.unregisterShuffleApplication(
            UnregisterShuffleApplicationRequest.newBuilder().setApplication(application).build());
      } else {
        stub.unregisterShuffles(
            UnregisterShufflesRequest.newBuilder()
                .setApplication(application)
                .addAllShuffles(which)
                .build());
      }
    } catch (StatusRuntimeException e) {
      // The end of the lease will do it.
      LOG.debug(
          "server not told to forget app={} shuffles={} server={} reason={}",
          application,
          which,
          server.getName(),
          e.getStatus());
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    background.shutdownNow();
    if (registered) {
      forget(servers.values(), List.of());
      coordinators.unregisterApplication(
          UnregisterApplicationRequest.newBuilder().setApplication(application).build(),
          UNREGISTER_TIMEOUT_MS);
    }
    coordinators.close();
  }
}
