package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This coordinator's part of the group that shares the metadata log. Thread-safe; the owner calls
 * {@link #start} and {@link #close}.
 */
public final class CoordinatorGroup implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(CoordinatorGroup.class);

  /** Name of the directory of the shared log in the data directory. */
  public static final String DIRECTORY = "quorum";

  private static final long FORMATION_INTERVAL_MS = 500;
  private static final String NO_BACKUP = "";

  /** A call, which equals no other one. */
  private static final class CallToLeader {
    private final String leader;
    private final CompletableFuture<ByteString> reply;

    CallToLeader(String leader, CompletableFuture<ByteString> reply) {
      this.leader = leader;
      this.reply = reply;
    }
  }

  private final String self;
  private final List<String> coordinators;
  private final Path directory;
  private final Peers peers;
  private final SharedLog log;
  private volatile Formation formation;
  private final ReplicationRpc.Network network;
  private final ScheduledExecutorService forming =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-forming", true));

  /** Calls that wait for the reply of a leader. */
  private final Set<CallToLeader> forwarded = ConcurrentHashMap.newKeySet();

  private volatile Optional<RestoredBackup> restored = Optional.empty();
  private volatile RatisGroup group;
  private volatile boolean upToDate;
  private volatile String waiting = "this coordinator starts";
  private volatile boolean closing;

  /**
   * @param coordinators addresses of all coordinators of the configuration
   * @param self address of this one
   * @param directory directory of the log, for this class only
   */
  public CoordinatorGroup(
      List<String> coordinators, String self, Path directory, Peers peers, LongSupplier nanoTime) {
    this.self = self;
    this.coordinators = List.copyOf(coordinators);
    this.directory = directory;
    this.peers = peers;
    this.log = new SharedLog(UUID.randomUUID().toString());
    this.formation = new Formation(self, coordinators, NO_BACKUP);
    this.network = new ReplicationRpc.Network(peers, nanoTime);
  }

  /**
   * Starts with the log of the directory. Without one, a thread waits for the other coordinators.
   *
   * @throws IOException if the log, or a restored backup, is damaged or cannot be read; the message
   *     is one line
   */
  public void start() throws IOException {
    Files.createDirectories(directory);
    restored = RestoredBackup.find(directory);
    formation =
        new Formation(self, coordinators, restored.map(RestoredBackup::digest).orElse(NO_BACKUP));
    if (RatisGroup.exists(directory)) {
      open(List.of(), false);
      return;
    }
    Future<?> unused =
        forming.scheduleWithFixedDelay(this::form, 0, FORMATION_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void open(List<String> members, boolean isNew) throws IOException {
    if (closing) {
      return;
    }
    SharedLogMachine machine =
        new SharedLogMachine(
            log, restored.map(RestoredBackup::records), () -> closing, this::endCallsToOthers);
    try {
      RatisGroup opened = RatisGroup.of(self, members, isNew, directory, machine, network);
      log.connect(opened, machine);
      opened.start();
      group = opened;
      RestoredBackup.delete(directory);
      restored = Optional.empty();
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the log of the quorum in "
              + directory
              + " cannot be read: "
              + oneLine(e)
              + "; remove this coordinator from the quorum, empty the directory and add it again",
          e);
    }
  }

  private static String oneLine(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage()).lines().findFirst().orElse(root.toString());
  }

  private void form() {
    try {
      Map<String, Optional<MembershipReply>> replies = new HashMap<>();
      for (String coordinator : coordinators) {
        if (!coordinator.equals(self)) {
          replies.put(coordinator, ask(coordinator));
        }
      }
      Formation.Step step = formation.next(replies);
      if (step instanceof Formation.Step.Wait wait) {
        waiting = wait.reason();
      } else if (step instanceof Formation.Step.Form form) {
        begin(form.members());
      } else if (step instanceof Formation.Step.Join join) {
        logger.info("coordinator waits to be added members={}", join.members());
        begin(List.of());
      } else if (step instanceof Formation.Step.Refuse refuse) {
        if (!waiting.equals(refuse.reason())) {
          logger.error("coordinator does not join the quorum reason={}", refuse.reason());
        }
        waiting = refuse.reason();
      }
    } catch (RuntimeException | IOException e) {
      waiting = String.valueOf(e.getMessage());
      logger.error("coordinator cannot join the quorum", e);
    }
  }

  private void begin(List<String> members) throws IOException {
    forming.shutdown();
    logger.info("coordinator begins with an empty log self={} members={}", self, members);
    open(members, true);
  }

  private Optional<MembershipReply> ask(String coordinator) {
    try {
      return Optional.of(peers.membership(coordinator));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The log, for the state thread. */
  public MetadataLog log() {
    return log;
  }

  /** Address of this coordinator. */
  public String self() {
    return self;
  }

  /**
   * Addresses of all members; before this one has a part of the log, those of the configuration.
   */
  public List<String> members() {
    RatisGroup opened = group;
    return opened == null ? coordinators : opened.members();
  }

  /** Address of another coordinator that leads; empty: this one does, or none is known. */
  public Optional<String> otherLeader() {
    RatisGroup opened = group;
    return opened == null || log.failure() != null
        ? Optional.empty()
        : opened.leader().filter(leader -> !leader.equals(self));
  }

  /**
   * Executes a call on the coordinator that leads.
   *
   * @param method name of the method
   * @return its reply; completes exceptionally if no leader is known, or another one is elected
   *     before it replies
   */
  public CompletableFuture<ByteString> toLeader(String method, ByteString request) {
    Optional<String> leader = otherLeader();
    if (leader.isEmpty()) {
      return CompletableFuture.failedFuture(
          new IOException(problem().orElse("a new leader takes over, retry later")));
    }
    CompletableFuture<ByteString> reply = peers.forward(leader.get(), method, request);
    CallToLeader call = new CallToLeader(leader.get(), reply);
    forwarded.add(call);
    CompletableFuture<ByteString> unused =
        reply.whenComplete((bytes, failure) -> forwarded.remove(call));
    otherLeader().ifPresent(this::endCallsToOthers);
    return reply;
  }

  /** A leader that is suspended or cut off does not reply, so that calls would wait in vain. */
  private void endCallsToOthers(String leader) {
    forwarded.forEach(
        call -> {
          if (!call.leader.equals(leader)) {
            call.reply.completeExceptionally(
                new IOException(call.leader + " no longer leads, " + leader + " does"));
          }
        });
  }

  /** Reason why no coordinator that this one knows can decide; empty: one can. */
  public Optional<String> problem() {
    if (log.failure() != null) {
      return Optional.of("this coordinator left the quorum: " + log.failure());
    }
    if (group == null) {
      return Optional.of(waiting);
    }
    return log.leads() || otherLeader().isPresent()
        ? Optional.empty()
        : Optional.of(
            "no quorum: more than half of these coordinators must reach each other: " + members());
  }

  /**
   * Reason why this coordinator lacks changes that were committed before it started; empty: it has
   * them. Others can be restarted then without a loss of the majority.
   */
  public Optional<String> behind() {
    RatisGroup opened = group;
    if (!upToDate && opened != null) {
      upToDate = log.leads() || (opened.isUpToDate() && log.isDelivered());
    }
    return upToDate
        ? Optional.empty()
        : Optional.of("this coordinator receives the changes since its last stop");
  }

  /** Number of elections that this coordinator has won since it started. */
  public long electionsWon() {
    return log.electionsWon();
  }

  /** Answers another coordinator that starts. */
  public MembershipReply membership() {
    RatisGroup opened = group;
    return opened == null
        ? formation.membership()
        : MembershipReply.newBuilder()
            .setState(MembershipReply.State.MEMBER)
            .addAllMembers(opened.members())
            .build();
  }

  /**
   * Handles a message of another member. Blocks on disk I/O.
   *
   * @throws IOException if this coordinator is not a member yet, or the message is refused
   */
  public ReplicationReply replicate(ReplicationCall call) throws IOException {
    RatisGroup opened = group;
    if (opened == null) {
      throw new IOException("not a member: " + waiting);
    }
    return opened.replicate(call);
  }

  /**
   * Adds a coordinator, which has started with an empty directory. Blocks; only the leader can.
   *
   * @throws IOException if it does not get the log in time; the members may change later
   */
  public void add(String coordinator) throws IOException {
    List<String> more = new ArrayList<>(members());
    if (!more.contains(coordinator)) {
      more.add(coordinator);
      group.setMembers(more);
    }
  }

  /** Removes a coordinator, whether it is running or not. Blocks; only the leader can. */
  public void remove(String coordinator) throws IOException {
    List<String> fewer = new ArrayList<>(members());
    if (fewer.remove(coordinator)) {
      group.setMembers(fewer);
    }
  }

  @Override
  public void close() {
    closing = true;
    forming.shutdownNow();
    RatisGroup opened;
    synchronized (this) {
      opened = group;
    }
    if (opened != null) {
      opened.close();
    }
  }
}
