package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.PushServer.Failure;
import io.sluice.client.push.PushServer.Sending;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.client.server.ServerHealth;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which servers get the frames of one push session: the servers that a frame was cut for,
 * or their replacement servers. A frame that too few servers accept goes to local output; without
 * local output the attempt fails. Never waits. Belongs to the task thread.
 *
 * <p>Failover does not change a frame. Acknowledged frames are not sent again: if a server loses
 * them later, readers find the missing blocks and the engine reruns the map task.
 *
 * <p>Invariant: each held frame was given to as many servers as must store it, or is in local
 * output too.
 */
final class Failover {
  private static final Logger LOG = LoggerFactory.getLogger(Failover.class);

  private final MapAttempt attempt;
  private final int writeQuorum;
  private final boolean blocksAreSafe;
  private final PushOptions options;
  private final ServerHealth health;
  private final HeldFrames held;
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
   * The answer to a request for a replacement server.
   *
   * @param server to be replaced
   * @param assignment the newest one; null if the request failed
   */
  record Answer(PushServer server, Cause cause, ShuffleAssignment assignment) {}

  /**
   * @param blocksAreSafe whether the blocks are stored elsewhere, so that the session need not wait
   *     for a failing server even if there is no other
   * @param answers receives every answer, on any thread; the task thread passes it to {@link
   *     #onAnswer}
   */
  Failover(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      int writeQuorum,
      boolean blocksAreSafe,
      PushOptions options,
      ServerHealth health,
      HeldFrames held,
      Consumer<Answer> answers) {
    this.assignment = assignment;
    this.sets = new ReplicaSets(assignment);
    this.attempt = attempt;
    this.writeQuorum = writeQuorum;
    this.blocksAreSafe = blocksAreSafe;
    this.options = options;
    this.health = health;
    this.held = held;
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

  /** The servers of the assignment, by index. Grows when the assignment does. */
  List<PushServer> servers() {
    return servers;
  }

  /** The replica sets that frames are cut for. */
  ReplicaSets sets() {
    return sets;
  }

  /** Whether a newer assignment has other sets. */
  boolean hasNewSets() {
    return newSets != null;
  }

  /** Uses the newer sets from now on; the caller has sent every open frame. */
  ReplicaSets switchSets() {
    sets = newSets;
    newSets = null;
    return sets;
  }

  /** Whether a frame may go elsewhere than to its assigned servers. */
  boolean hasAlternative() {
    return options.localSink() != null || options.replacementServers() != null;
  }

  /** Whether a server that is known to fail need not get its whole retry period. */
  boolean mayGiveUpEarly() {
    return blocksAreSafe || hasAlternative();
  }

  /**
   * Gives a frame to its servers, or to their replacements.
   *
   * @throws PushFailedException if too few servers accept it and there is no local output
   */
  void distribute(Frame frame) throws IOException {
    giveToServers(frame);
    keepLocallyIfTooFew(frame);
  }

  private void redistribute(Frame frame) throws IOException {
    reroutedFrames += giveToServers(frame) ? 1 : 0;
    keepLocallyIfTooFew(frame);
  }

  /** False if every server that may get the frame has had it before. */
  private boolean giveToServers(Frame frame) {
    boolean any = false;
    for (int index : frame.servers()) {
      PushServer target = targetOf(index);
      if (target != null && frame.give(target)) {
        frame.retain();
        target.enqueue(new Sending(frame));
        any = true;
      }
    }
    return any;
  }

  /** The last replacement of a server, which is the server itself if it has none. */
  private PushServer lastReplacementOf(int index) {
    PushServer server = servers.get(index);
    while (server.replacement() != null) {
      server = server.replacement();
    }
    return server;
  }

  /** The server that gets the frames of an assigned server; null if there is none. */
  private PushServer targetOf(int index) {
    PushServer server = lastReplacementOf(index);
    return server.isGone() ? null : server;
  }

  private void keepLocallyIfTooFew(Frame frame) throws IOException {
    if (frame.isLocal() || isQuorum(targets(frame.servers()), frame.servers())) {
      return;
    }
    if (options.localSink() == null || anyLost(frame.servers())) {
      throw failed(firstStopped(frame.servers()));
    }
    options.localSink().accept(frame.lentBody());
    frame.keptLocally();
    localFrames++;
    localBytes += frame.length();
  }

  /** A set with fewer servers than the write quorum needs all of them. */
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

  private PushServer firstStopped(int[] set) {
    for (int index : set) {
      for (PushServer at = servers.get(index); at != null; at = at.replacement()) {
        if (!at.isOpen()) {
          return at;
        }
      }
    }
    throw new IllegalStateException(
        "internal error: write quorum not reached although no server failed, servers="
            + set.length
            + " required="
            + writeQuorum);
  }

  /**
   * Sends nothing more to a server, and fails over.
   *
   * @param serverFault whether the server failed, which other sessions should know, too
   * @param early whether it had less than its retry period, because others had given it up
   */
  void giveUp(
      PushServer server, StatusCode code, Throwable cause, boolean serverFault, boolean early)
      throws IOException {
    boolean first = !serverFault || health.gaveUp(server.server());
    server.stop(new Failure(code, cause, early, first));
    if (assignment.hasReplaced(server.name())) {
      replace(server);
    } else if (options.replacementServers() == null) {
      noReplacement(server);
    } else {
      request(server, Cause.FAILED, List.of());
    }
  }

  /**
   * A server has lost what it acknowledged. The attempt fails, unless other replicas have all of
   * it.
   */
  void giveUpLost(PushServer server, StatusCode code, Throwable cause) throws IOException {
    server.stop(new Failure(code, cause, false, true));
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
    warn(server, "server lost acknowledged frames, other replicas have them");
  }

  private boolean contains(int[] set, PushServer server) {
    for (int index : set) {
      if (lastReplacementOf(index) == server) {
        return true;
      }
    }
    return false;
  }

  /** A server reports partitions as full: requests an additional server once for each. */
  void onFull(PushServer server, List<Integer> partitions) {
    if (partitions.isEmpty() || options.replacementServers() == null) {
      return;
    }
    List<Integer> moving =
        assignment.pushedTo(
            server.name(),
            partitions.stream()
                .filter(partition -> partition >= 0 && partition < assignment.partitionCount())
                .filter(server::becomesFull)
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
    // It may name replacements that other tasks requested.
    for (PushServer server : List.copyOf(servers)) {
      boolean wantsReplacement = server.isStopped() || (server.isGone() && !server.isLost());
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
   * There is no replacement: frames go to local output or to other replicas. Without them, a server
   * that was given up early gets its whole retry period.
   */
  void noReplacement(PushServer server) throws IOException {
    if (server.failure().early()
        && !blocksAreSafe
        && options.localSink() == null
        && !otherReplicasSuffice(server)) {
      server.openAgain();
      return;
    }
    server.giveUp(false);
    moveFrames(server);
    warn(
        server,
        options.localSink() == null
            ? "server given up, other replicas get its blocks"
            : "server given up, its blocks go to local output or other replicas");
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

  /** Logs a warning once per failing server and process; counters show the rest. */
  private void warn(PushServer server, String event) {
    // Not by Logger.atLevel, which the SLF4J of Hadoop does not have.
    String line = "{} app={} shuffle={} attempt={} server={} code={} reason={}";
    Object[] values = {
      event,
      shuffle().getApplication(),
      shuffle().getShuffle(),
      attempt.id(),
      server.name(),
      server.failure().code(),
      server.failure().cause().getMessage()
    };
    if (server.failure().first()) {
      LOG.warn(line, values);
    } else {
      LOG.debug(line, values);
    }
  }

  /** Moves unsent frames elsewhere. A frame stays with the server until others have it. */
  private void moveFrames(PushServer server) throws IOException {
    for (Sending sending = server.oldestUnsent();
        sending != null;
        sending = server.oldestUnsent()) {
      redistribute(sending.frame());
      server.removeOldestUnsent();
      held.release(sending.frame());
    }
  }

  private PushFailedException failed(PushServer server) {
    Failure failure = server.failure();
    return new PushFailedException(
        server.name(),
        failure.code(),
        "push failed app="
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
