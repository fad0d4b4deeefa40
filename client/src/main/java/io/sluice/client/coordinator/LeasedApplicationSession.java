package io.sluice.client.coordinator;

import io.sluice.client.coordinator.CoordinatorClient.Retry;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationRequest;
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
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application session that renews its lease on its own daemon thread. Thread-safe; calls to
 * coordinators run without a lock.
 */
public final class LeasedApplicationSession implements ApplicationSession {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedApplicationSession.class);

  private static final int MAX_PARTITIONS = (1 << 24) - 1;

  /** Maximum number of servers in a registration, each with a name of at most 256 bytes. */
  private static final int MAX_REPORTED_SERVERS = 4_000;

  /** Delay after a renewal without reply. */
  private static final long RENEWAL_RETRY_MS = 1_000;

  /** Lease that is assumed if the coordinator reports none. */
  private static final long DEFAULT_LEASE_MS = 60_000;

  private final String application;
  private final String user;
  private final String clientVersion;
  private final CoordinatorClientConfig config;
  private final CoordinatorClient coordinators;
  private final ClientIdentity identity;
  private final ServerUnregistration unregistration;
  private final ScheduledExecutorService background;
  private final Map<Integer, Registered> shuffles = new ConcurrentHashMap<>();
  // Servers of all shuffles, by name. A replacement comes from here if no coordinator replies.
  private final Map<String, ServerId> servers = new ConcurrentHashMap<>();
  private final AtomicInteger rotation = new AtomicInteger();
  private volatile MovedShuffles moved;
  private volatile Supplier<List<ShuffleReceipts>> receipts = List::of;
  // Null: the engine reports nothing.
  private volatile Supplier<TaskReport> tasks;
  // Applied moves that are not yet reported to a coordinator. Owned by the background thread.
  private final Set<ShuffleMove> appliedMoves = new LinkedHashSet<>();
  // All guarded by this.
  private int fallbacks;
  private String lastFallback = "";
  // Not yet reported to a coordinator. A report that was interrupted is repeated at the end.
  private int wrongReceipts;
  private boolean probing;
  private volatile boolean registered;
  private volatile boolean coordinatorsUnreachable;
  // A shuffle waited for a coordinator, and none has replied since.
  private volatile boolean waitedInVain;
  private volatile boolean closed;

  /** A registered shuffle, and every server that may have data of it. Immutable. */
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
   * @param user operating-system user of the job
   * @param identity stores the tokens that coordinators grant
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
    this.unregistration = new ServerUnregistration(application, identity, environment);
    this.background = environment.background().get();
  }

  @Override
  public ShuffleRegistration registerShuffle(int shuffle, int partitions) {
    ShuffleRegistration outcome = tryToRegister(shuffle, partitions);
    if (outcome instanceof Refused refused) {
      // Reported with the next renewal, so that operators see which applications fall back, and
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
          Reason.NOT_CONFIGURED,
          "rss.coordinator.quorum is not set; set it to host:port,host:port");
    }
    if (partitions < 1 || partitions > MAX_PARTITIONS) {
      return new Refused(
          Reason.UNSUPPORTED,
          "unsupported number of partitions: shuffle="
              + shuffle
              + " partitions="
              + partitions
              + " maxPartitions="
              + MAX_PARTITIONS);
    }
    if (waitedInVain) {
      return new Refused(
          Reason.NO_COORDINATOR, "no coordinator has replied since an earlier request failed");
    }
    Retry retry = registered ? Retry.FULL_PERIOD : Retry.AT_START;
    try {
      ShuffleRegistration outcome = register(shuffle, partitions, retry);
      reachable();
      return outcome;
    } catch (SluiceException e) {
      if (e.code() == StatusCode.DENIED) {
        return new Refused(Reason.DENIED, e.getMessage());
      }
      unreachable();
      return new Refused(Reason.NO_COORDINATOR, e.getMessage());
    }
  }

  private void reachable() {
    coordinatorsUnreachable = false;
    waitedInVain = false;
  }

  /** Later shuffles do not wait; the background thread notices when a coordinator replies again. */
  private void unreachable() {
    coordinatorsUnreachable = true;
    waitedInVain = true;
    boolean first;
    synchronized (this) {
      first = !registered && !probing;
      probing |= first;
    }
    if (first) {
      renewAfter(RENEWAL_RETRY_MS);
    }
  }

  private ShuffleRegistration register(int shuffle, int partitions, Retry retry)
      throws SluiceException {
    ShuffleId id = ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle).build();
    RegisterShuffleRequest request =
        RegisterShuffleRequest.newBuilder()
            .setShuffle(id)
            .setPartitionCount(partitions)
            .setReplicas(config.replicas())
            .setMaxServers(config.maxServers())
            .addAllRequiredTags(config.requiredTags())
            .setPreferredZone(config.preferredZone())
            .build();
    Answer answer = ask(request, retry);
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

  /** Result of a request for servers; one of the two is null. */
  private record Answer(RegisterShuffleReply reply, Refused refused) {}

  /** Requests servers, and registers the application before if necessary. */
  private Answer ask(RegisterShuffleRequest request, Retry retry) throws SluiceException {
    Refused refused = registered ? null : registerApplication(retry);
    if (refused != null) {
      return new Answer(null, refused);
    }
    RegisterShuffleReply reply = coordinators.registerShuffle(request, retry);
    if (StatusCode.of(reply.getStatus()) == StatusCode.UNKNOWN_APPLICATION) {
      // Another coordinator than before, or the same one after a restart.
      refused = registerApplication(retry);
      if (refused != null) {
        return new Answer(null, refused);
      }
      reply = coordinators.registerShuffle(request, retry);
    }
    StatusCode status = StatusCode.of(reply.getStatus());
    return status == StatusCode.OK
        ? new Answer(reply, null)
        : new Answer(null, refused(status, reply.getMessage()));
  }

  @Override
  public Optional<ServerId> replacementServer(
      int shuffle, int partitions, Collection<String> excluded, String zone) {
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
            .setPreferredZone(zone.isEmpty() ? config.preferredZone() : zone)
            .build();
    Optional<ServerId> replacement;
    if (waitedInVain) {
      return used(shuffle, usedServer(excluded));
    }
    try {
      Answer answer = ask(request, Retry.ONE_ROUND);
      reachable();
      if (answer.refused() != null) {
        LOG.info(
            "no replacement server application={} shuffle={} reason={} message={}",
            application,
            shuffle,
            answer.refused().reason(),
            answer.refused().message());
      }
      replacement =
          Optional.ofNullable(answer.reply())
              .filter(reply -> reply.getServersCount() > 0)
              .map(reply -> reply.getServers(0))
              // A coordinator without support for replacement servers may return an excluded
              // server.
              .filter(server -> !excluded.contains(server.getName()))
              .filter(server -> ShuffleAssignment.problemOf(server) == null);
    } catch (SluiceException e) {
      coordinatorsUnreachable = true;
      LOG.info(
          "replacement server chosen among used servers, no coordinator replied application={}"
              + " shuffle={} reason={}",
          application,
          shuffle,
          e.getMessage());
      replacement = usedServer(excluded);
    }
    return used(shuffle, replacement);
  }

  /** Records a replacement server as a server of its shuffle. */
  private Optional<ServerId> used(int shuffle, Optional<ServerId> replacement) {
    if (replacement.isEmpty()) {
      return replacement;
    }
    ServerId server = replacement.get();
    servers.put(server.getName(), server);
    Registered now = shuffles.computeIfPresent(shuffle, (number, before) -> before.with(server));
    return now == null ? Optional.empty() : replacement;
  }

  private Optional<ServerId> usedServer(Collection<String> excluded) {
    List<ServerId> usable =
        servers.values().stream()
            .filter(server -> !excluded.contains(server.getName()))
            .sorted(Comparator.comparing(ServerId::getName))
            .toList();
    return usable.isEmpty()
        ? Optional.empty()
        : Optional.of(usable.get(Math.floorMod(rotation.getAndIncrement(), usable.size())));
  }

  /** Registers the application; returns null on success. */
  private Refused registerApplication(Retry retry) throws SluiceException {
    RegisterApplicationReply reply =
        coordinators.registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setUser(user)
                .setClientVersion(clientVersion)
                .setContinued(registered)
                .setPublicKey(identity.publicKey())
                .addAllServers(serversWithData())
                .build(),
            retry);
    StatusCode status = StatusCode.of(reply.getStatus());
    if (status != StatusCode.OK) {
      return refused(status, reply.getMessage());
    }
    identity.acceptToken(reply.hasToken(), reply.getToken(), application);
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

  /** Names of the servers of all shuffles, of which at most some hundred KB are reported. */
  private List<String> serversWithData() {
    return servers.keySet().stream().limit(MAX_REPORTED_SERVERS).toList();
  }

  private static Refused refused(StatusCode status, String message) {
    Reason reason =
        switch (status) {
          case NO_SERVERS, BUSY, DRAINING, NO_SPACE, LEAVING -> Reason.NO_SERVERS;
          case DENIED, TOKEN_EXPIRED, UNKNOWN_APPLICATION, EXPIRED -> Reason.DENIED;
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
    return new Refused(reason, message.isEmpty() ? "the coordinator returned " + status : message);
  }

  private static long thirdOf(long leaseMs) {
    return Math.max(1, (leaseMs > 0 ? leaseMs : DEFAULT_LEASE_MS) / 3);
  }

  private void renewAfter(long delayMs) {
    try {
      ScheduledFuture<?> unused = background.schedule(this::renew, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("lease not renewed after close application={}", application);
    }
  }

  /** Renews the lease on the background thread; schedules the next renewal even after an error. */
  private void renew() {
    if (closed) {
      return;
    }
    if (!registered) {
      registerLater();
      return;
    }
    long nextMs = RENEWAL_RETRY_MS;
    try {
      RenewLeaseRequest request =
          RenewLeaseRequest.newBuilder()
              .setApplication(application)
              .setReport(report())
              .addAllAppliedMoves(appliedMoves)
              .setPublicKey(identity.publicKey())
              .addAllReceipts(receipts.get())
              .build();
      RenewLeaseReply reply = coordinators.renewLease(request);
      StatusCode status = StatusCode.of(reply.getStatus());
      if (status == StatusCode.OK) {
        nextMs = thirdOf(reply.getLeaseMs());
        identity.acceptToken(reply.hasToken(), reply.getToken(), application);
        appliedMoves.clear();
        wrongReceiptsReported(request.getReport().getWrongReceipts());
        if (applyMoves(reply.getMovesList())) {
          // The leaving server waits for the report before it exits.
          nextMs = Math.min(nextMs, RENEWAL_RETRY_MS);
        }
      } else if (status == StatusCode.UNKNOWN_APPLICATION) {
        Refused refused = registerApplication(Retry.ONE_ROUND);
        if (refused == null) {
          LOG.info("application registered again application={}", application);
        } else {
          LOG.warn(
              "registering the application again failed application={} reason={} message={}",
              application,
              refused.reason(),
              refused.message());
        }
      }
      if (coordinatorsUnreachable) {
        LOG.info("coordinator reachable again application={}", application);
      }
      reachable();
    } catch (SluiceException e) {
      if (!coordinatorsUnreachable) {
        LOG.warn(
            "lease not renewed, retrying application={} reason={}", application, e.getMessage());
      }
      coordinatorsUnreachable = true;
    } catch (RuntimeException e) {
      LOG.error("internal error: lease not renewed, retrying application={}", application, e);
    } finally {
      renewAfter(nextMs);
    }
  }

  /** Registers an application whose start found no coordinator, so that later shuffles use one. */
  private void registerLater() {
    boolean again = true;
    try {
      Refused refused = registerApplication(Retry.ONE_ROUND);
      // A success has scheduled the renewal; a refusal is repeated to the next shuffle.
      again = false;
      synchronized (this) {
        probing = false;
      }
      reachable();
      LOG.info("coordinator reachable application={} registered={}", application, refused == null);
    } catch (SluiceException e) {
      LOG.debug("application not registered application={}", application, e);
    } catch (RuntimeException e) {
      LOG.error("internal error: application not registered application={}", application, e);
    } finally {
      if (again) {
        renewAfter(RENEWAL_RETRY_MS);
      }
    }
  }

  /** Applies moves; returns whether any was applied. */
  private boolean applyMoves(List<ShuffleMove> moves) {
    MovedShuffles listener = moved;
    for (ShuffleMove move : moves) {
      ServerId to = move.getTo();
      int shuffle = move.getShuffle().getShuffle();
      if (listener != null
          && ShuffleAssignment.problemOf(to) == null
          && !to.getName().equals(move.getFrom())
          && listener.moved(shuffle, move.getFrom(), to, move.getLost())) {
        // So that unregistering the shuffle includes the new server.
        servers.put(to.getName(), to);
        if (shuffles.computeIfPresent(shuffle, (number, before) -> before.with(to)) != null) {
          servers.put(to.getName(), to);
        }
        appliedMoves.add(move);
      }
    }
    return !appliedMoves.isEmpty();
  }

  @Override
  public synchronized void reportWrongReceipts(int attempts) {
    wrongReceipts = Math.addExact(wrongReceipts, attempts);
  }

  @Override
  public void receiptsFrom(Supplier<List<ShuffleReceipts>> source) {
    receipts = source;
  }

  @Override
  public void tasksFrom(Supplier<TaskReport> source) {
    tasks = source;
  }

  private synchronized void wrongReceiptsReported(int attempts) {
    wrongReceipts -= attempts;
  }

  @Override
  public void onMoved(MovedShuffles listener) {
    moved = listener;
  }

  private ApplicationReport report() {
    ApplicationReport.Builder report = ApplicationReport.newBuilder();
    Supplier<TaskReport> ofTasks = tasks;
    if (ofTasks != null) {
      report.setTasks(ofTasks.get());
    }
    synchronized (this) {
      return report
          .setFallbackShuffles(fallbacks)
          .setLastFallbackReason(lastFallback)
          .setWrongReceipts(wrongReceipts)
          .build();
    }
  }

  @Override
  public void unregisterShuffle(int shuffle) {
    Registered known = shuffles.remove(shuffle);
    if (known == null || !unregistration.add(shuffle, known.servers().values())) {
      return;
    }
    try {
      background.execute(unregistration::unregisterAdded);
    } catch (RejectedExecutionException e) {
      // The whole application is being unregistered.
      LOG.debug(
          "shuffle is unregistered with its application application={} shuffle={}",
          application,
          shuffle);
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
      unregistration.unregisterApplication(List.copyOf(servers.values()));
      coordinators.unregisterApplication(
          UnregisterApplicationRequest.newBuilder()
              .setApplication(application)
              .setReport(report())
              .build(),
          ServerUnregistration.TIMEOUT_MS);
    }
    coordinators.close();
  }
}
