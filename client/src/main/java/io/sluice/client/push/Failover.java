package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.PushServer.Failure;
import io.sluice.client.push.PushServer.Sending;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.client.server.ServerHealth;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which servers get the frames of one push session. A frame goes to the servers of its
 * replica set, or to their replacement servers. If fewer servers than the write quorum accept it,
 * it goes to local output; without local output, the attempt fails. Never waits. Owned by the task
 * thread.
 *
 * <p>Steps after a server failed ({@link #giveUp}):
 *
 * <ol>
 *   <li>The server is stopped, and the driver is asked for a replacement server.
 *   <li>If there is one ({@link #onAnswer}), the unacknowledged frames move to it.
 *   <li>Otherwise ({@link #noReplacement}) the other replicas must reach the write quorum, or the
 *       frames go to local output. If neither is possible, the attempt fails.
 * </ol>
 *
 * <p>Failover does not change a frame. Acknowledged frames are not sent again: if a server loses
 * them later, readers report the missing blocks and the engine reruns the map task.
 *
 * <p>Invariant: each unacknowledged frame is assigned to a write quorum of servers, or is also in
 * local output.
 */
final class Failover {
  private static final Logger LOG = LoggerFactory.getLogger(Failover.class);

  private final MapAttempt attempt;
  private final int writeQuorum;
  private final boolean hasLocalCopy;
  private final PushOptions options;
  private final ServerHealth health;
  private final UnacknowledgedFrames unacknowledged;
  private final Consumer<Answer> answers;
  private final List<PushServer> servers = new ArrayList<>();
  private ShuffleAssignment assignment;
  private ReplicaSets sets;
  private ReplicaSets newSets;
  private long localBytes;
  private long localFrames;
  private long replacementServers;
  private long reroutedFrames;

  /**
   * Answer of the driver to a request for a replacement server.
   *
   * @param server server to replace
   * @param assignment newest assignment; null if the request failed
   */
  record Answer(PushServer server, Cause cause, ShuffleAssignment assignment) {}

  /**
   * @param hasLocalCopy whether the blocks are also in a local file, so that the session need not
   *     wait for a failing server even if there is no other
   * @param answers receives every answer, on any thread; the task thread passes it to {@link
   *     #onAnswer}
   */
  Failover(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      int writeQuorum,
      boolean hasLocalCopy,
      PushOptions options,
      ServerHealth health,
      UnacknowledgedFrames unacknowledged,
      Consumer<Answer> answers) {
    this.assignment = assignment;
    this.sets = new ReplicaSets(assignment);
    this.attempt = attempt;
    this.writeQuorum = writeQuorum;
    this.hasLocalCopy = hasLocalCopy;
    this.options = options;
    this.health = health;
    this.unacknowledged = unacknowledged;
    this.answers = answers;
    addServers();
  }

  private void addServers() {
    for (int i = servers.size(); i < assignment.servers().size(); i++) {
      servers.add(new PushServer(i, assignment.servers().get(i)));
    }
  }

  ShuffleId shuffle() {
    return assignment.shuffle();
  }

  /** The servers of the assignment, by index. A newer assignment appends to it. */
  List<PushServer> servers() {
    return servers;
  }

  /** The replica sets of new frames. */
  ReplicaSets sets() {
    return sets;
  }

  /** Whether a newer assignment has changed the replica sets. */
  boolean hasNewSets() {
    return newSets != null;
  }

  /** Uses the newer sets from now on. The caller has flushed every open frame. */
  ReplicaSets switchSets() {
    sets = newSets;
    newSets = null;
    return sets;
  }

  /** Whether a frame can go to a replacement server or to local output. */
  boolean hasAlternative() {
    return options.localSink() != null || options.replacementServers() != null;
  }

  /**
   * Whether a server that other tasks gave up may be given up before the end of its retry period.
   */
  boolean mayGiveUpEarly() {
    return hasLocalCopy || hasAlternative();
  }

  /**
   * Queues a frame at its servers, or at their replacements.
   *
   * @throws PushFailedException if too few servers accept it and there is no local output
   */
  void distribute(Frame frame) throws IOException {
    enqueueAtServers(frame);
    storeLocallyIfTooFew(frame);
  }

  private void redistribute(Frame frame) throws IOException {
    reroutedFrames += enqueueAtServers(frame) ? 1 : 0;
    storeLocallyIfTooFew(frame);
  }

  /** Returns false if every target server had the frame before. */
  private boolean enqueueAtServers(Frame frame) {
    boolean any = false;
    for (int index : frame.servers()) {
      PushServer target = targetOf(index);
      if (target != null && frame.addTarget(target)) {
        frame.retain();
        target.enqueue(new Sending(frame));
        any = true;
      }
    }
    return any;
  }

  /** Follows the replacements of a server to the last one; the server itself if it has none. */
  private PushServer lastReplacementOf(int index) {
    PushServer server = servers.get(index);
    while (server.replacement() != null) {
      server = server.replacement();
    }
    return server;
  }

  /** The server that gets the frames of an assigned server; null if it was given up. */
  private PushServer targetOf(int index) {
    PushServer server = lastReplacementOf(index);
    return server.isGivenUp() ? null : server;
  }

  private void storeLocallyIfTooFew(Frame frame) throws IOException {
    if (frame.isLocal() || isQuorum(targets(frame.servers()), frame.servers())) {
      return;
    }
    if (options.localSink() == null || anyLost(frame.servers())) {
      PushServer stopped = firstStopped(frame.servers());
      throw stopped == null ? tooFewServers(frame.servers()) : failed(stopped);
    }
    options.localSink().accept(frame.lentBody());
    frame.storedLocally();
    localFrames++;
    localBytes += frame.length();
  }

  /**
   * Whether {@code targets} servers are enough: the write quorum, or one per replica if there are
   * fewer replicas.
   */
  private boolean isQuorum(int targets, int[] set) {
    return targets >= Math.min(writeQuorum, set.length);
  }

  /** Whether at least one server accepts frames of a set. */
  boolean hasTarget(int set) {
    return targets(sets.servers(set)) > 0;
  }

  /** The number of distinct servers that get the frames of a set. */
  private int targets(int[] set) {
    int targets = 0;
    for (int i = 0; i < set.length; i++) {
      PushServer target = targetOf(set[i]);
      boolean counted = target == null;
      for (int j = 0; j < i && !counted; j++) {
        counted = targetOf(set[j]) == target;
      }
      targets += counted ? 0 : 1;
    }
    return targets;
  }

  private boolean anyLost(int[] set) {
    for (int index : set) {
      if (lastReplacementOf(index).isLost()) {
        return true;
      }
    }
    return false;
  }

  /** A server that failed in this session; null if the set has too few servers from the start. */
  private PushServer firstStopped(int[] set) {
    for (int index : set) {
      for (PushServer at = servers.get(index); at != null; at = at.replacement()) {
        if (!at.isOpen()) {
          return at;
        }
      }
    }
    return null;
  }

  /** Stops sending to a server, and requests a replacement server. */
  void giveUp(PushServer server, Failure failure) throws IOException {
    server.stop(failure, failure.serverFault() && !markUnhealthy(server.server(), failure));
    if (assignment.hasReplaced(server.name())) {
      replace(server);
    } else if (options.replacementServers() == null) {
      noReplacement(server);
    } else {
      request(server, Cause.FAILED, List.of());
    }
  }

  /** Readers still wait for a server for which no task has waited. */
  private boolean markUnhealthy(ServerId server, Failure failure) {
    return failure.early() ? health.markUnreachable(server) : health.markFailing(server);
  }

  /**
   * Gives up a server that lost acknowledged frames. The attempt fails, unless other replicas have
   * all of them.
   */
  void giveUpLost(PushServer server, Failure failure) throws IOException {
    server.stop(failure, false);
    boolean whole = true;
    for (int set = 0; set < sets.count(); set++) {
      whole &= sets.servers(set).length > 1;
    }
    server.giveUp(true);
    for (int set = 0; set < sets.count() && whole; set++) {
      int[] members = sets.servers(set);
      whole = !contains(members, server) || isQuorum(targets(members), members);
    }
    if (!whole) {
      throw failed(server);
    }
    moveFrames(server);
    warn(server, "server given up because it lost acknowledged frames; other replicas have them");
  }

  private boolean contains(int[] set, PushServer server) {
    for (int index : set) {
      if (lastReplacementOf(index) == server) {
        return true;
      }
    }
    return false;
  }

  /** A server reports full partitions: requests an additional server, once per partition. */
  void onFull(PushServer server, List<Integer> partitions) {
    if (partitions.isEmpty() || options.replacementServers() == null) {
      return;
    }
    List<Integer> moving =
        assignment.pushedTo(
            server.name(),
            partitions.stream()
                .filter(partition -> partition >= 0 && partition < assignment.partitionCount())
                .filter(server::markFull)
                .toList());
    if (!moving.isEmpty()) {
      request(server, Cause.FULL, moving);
    }
  }

  private void request(PushServer server, Cause cause, List<Integer> partitions) {
    CompletionStage<ShuffleAssignment> unused =
        options
            .replacementServers()
            .replace(assignment, server.name(), cause, partitions)
            .whenComplete((next, failure) -> answers.accept(new Answer(server, cause, next)));
  }

  void onAnswer(Answer answer) throws IOException {
    PushServer server = answer.server();
    if (adopt(answer.assignment()) && answer.cause() == Cause.FULL) {
      replacementServers++;
    }
    if (answer.cause() == Cause.FAILED && server.isStopped()) {
      if (assignment.hasReplaced(server.name())) {
        replace(server);
      } else {
        noReplacement(server);
      }
    }
  }

  private boolean adopt(ShuffleAssignment next) throws IOException {
    if (next == null
        || next.generation() <= assignment.generation()
        || !next.shuffle().equals(assignment.shuffle())) {
      return false;
    }
    assignment = next;
    newSets = new ReplicaSets(next);
    addServers();
    // The assignment may contain replacements that other tasks requested.
    for (PushServer server : List.copyOf(servers)) {
      boolean wantsReplacement = server.isStopped() || (server.isGivenUp() && !server.isLost());
      if (wantsReplacement && assignment.hasReplaced(server.name())) {
        replace(server);
      }
    }
    return true;
  }

  private void replace(PushServer server) throws IOException {
    PushServer other = targetOf(assignment.replacementOf(server.index()));
    if (other == null) {
      if (server.isStopped()) {
        noReplacement(server);
      }
      return;
    }
    server.replaceBy(other);
    replacementServers++;
    moveFrames(server);
    warn(server, "push continues at replacement server " + other.name());
  }

  /**
   * No replacement server is available: frames go to local output or to other replicas. If neither
   * is possible, a server that was given up early gets its full retry period.
   */
  void noReplacement(PushServer server) throws IOException {
    if (server.failure().early()
        && !hasLocalCopy
        && options.localSink() == null
        && !otherReplicasSuffice(server)) {
      server.reopen();
      return;
    }
    server.giveUp(false);
    moveFrames(server);
    warn(
        server,
        options.localSink() == null
            ? "server given up; other replicas get its blocks"
            : "server given up; its blocks go to local output or other replicas");
  }

  private boolean otherReplicasSuffice(PushServer server) {
    for (int set = 0; set < sets.count(); set++) {
      int[] members = sets.servers(set);
      if (contains(members, server) && !isQuorum(targets(members) - 1, members)) {
        return false;
      }
    }
    return true;
  }

  /** Logs a warning once per failing server and process; later failures are counted only. */
  private void warn(PushServer server, String event) {
    // Logger.atLevel does not exist in the SLF4J version of Hadoop.
    String line = "{} application={} shuffle={} attempt={} server={} code={} reason={}";
    Object[] values = {
      event,
      shuffle().getApplication(),
      shuffle().getShuffle(),
      attempt.id(),
      server.name(),
      server.failure().code(),
      server.failure().cause().getMessage()
    };
    if (server.isFailureKnown()) {
      LOG.debug(line, values);
    } else {
      LOG.warn(line, values);
    }
  }

  /**
   * Moves the unsent frames of a server to their other targets. A frame is removed from the server
   * last.
   */
  private void moveFrames(PushServer server) throws IOException {
    for (Sending sending = server.oldestUnsent();
        sending != null;
        sending = server.oldestUnsent()) {
      redistribute(sending.frame());
      server.removeOldestUnsent();
      unacknowledged.release(sending.frame());
    }
  }

  /** All servers work, but an earlier failure left one server for several replicas. */
  private PushFailedException tooFewServers(int[] set) {
    String server = lastReplacementOf(set[0]).name();
    return new PushFailedException(
        server,
        StatusCode.NO_SERVERS,
        "push failed application="
            + shuffle().getApplication()
            + " shuffle="
            + shuffle().getShuffle()
            + " attempt="
            + attempt.id()
            + " server="
            + server
            + ": the server has "
            + set.length
            + " replicas of a partition, but rss.data.replica.write requires "
            + writeQuorum
            + " servers; add a server, or lower rss.data.replica.write",
        null);
  }

  private PushFailedException failed(PushServer server) {
    Failure failure = server.failure();
    return new PushFailedException(
        server.name(),
        failure.code(),
        "push failed application="
            + shuffle().getApplication()
            + " shuffle="
            + shuffle().getShuffle()
            + " attempt="
            + attempt.id()
            + " server="
            + server.name()
            + " code="
            + failure.code()
            + " failures="
            + server.session().failures()
            + ": "
            + failure.cause().getMessage(),
        failure.cause());
  }

  long localBytes() {
    return localBytes;
  }

  long localFrames() {
    return localFrames;
  }

  long replacementServers() {
    return replacementServers;
  }

  long reroutedFrames() {
    return reroutedFrames;
  }
}
