package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.FurtherServers.Cause;
import io.sluice.client.push.ServerLane.Sending;
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
 * Where the frames of one session go: to the servers that they were cut for, or round those that
 * take nothing. The order of resort is the server, a further server, local output, and only then
 * the failure of the attempt. Owned by the task thread; never waits.
 *
 * <p>A frame that goes another way goes as it is. What a server acknowledged is not chased: if it
 * loses that later, readers find the hole and the map is run again.
 *
 * <p>Invariant: a frame that is held has been given to as many servers as must take it, or is in
 * local output as well.
 */
final class Detours {
  private static final Logger LOG = LoggerFactory.getLogger(Detours.class);

  private final MapAttempt attempt;
  private final int writeQuorum;
  private final boolean givesUpSoon;
  private final PushOptions options;
  private final ServerHealth health;
  private final HeldFrames held;
  private final Consumer<Answer> answers;
  private final List<ServerLane> lanes = new ArrayList<>();
  private ShuffleAssignment assignment;
  private ReplicaSets sets;
  private ReplicaSets newSets;
  private long localBytes;
  private long localFrames;
  private long furtherServers;
  private long reroutedFrames;

  /**
   * What came of asking for a further server.
   *
   * @param lane of the server that is passed by
   * @param assignment null if nothing came of it
   */
  record Answer(ServerLane lane, Cause cause, ShuffleAssignment assignment) {}

  /**
   * @param givesUpSoon whether a server that is known to be failing need not be waited for even if
   *     there is no other way
   * @param answers told of every answer, on any thread; to be given to {@link #onAnswer}
   */
  Detours(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      int writeQuorum,
      boolean givesUpSoon,
      PushOptions options,
      ServerHealth health,
      HeldFrames held,
      Consumer<Answer> answers) {
    this.assignment = assignment;
    this.sets = new ReplicaSets(assignment);
    this.attempt = attempt;
    this.writeQuorum = writeQuorum;
    this.givesUpSoon = givesUpSoon;
    this.options = options;
    this.health = health;
    this.held = held;
    this.answers = answers;
    addLanes();
  }

  private void addLanes() {
    for (int i = lanes.size(); i < assignment.servers().size(); i++) {
      lanes.add(new ServerLane(i, assignment.servers().get(i)));
    }
  }

  ShuffleId shuffle() {
    return assignment.shuffle();
  }

  /** One for each server, by index; grows. */
  List<ServerLane> lanes() {
    return lanes;
  }

  /** The sets that frames are cut for. */
  ReplicaSets sets() {
    return sets;
  }

  /** Whether frames should be cut for other sets from now on. */
  boolean hasNewSets() {
    return newSets != null;
  }

  /** Changes over; every open frame has been cut and sent before. */
  ReplicaSets switchSets() {
    sets = newSets;
    newSets = null;
    return sets;
  }

  /** Whether there is, or may be, another way than waiting for a server. */
  boolean mayPassBy() {
    return options.localSink() != null || options.furtherServers() != null;
  }

  /** Whether a server that is known to be failing need not get all its time. */
  boolean mayGiveUpSoon() {
    return givesUpSoon || mayPassBy();
  }

  /**
   * Gives a frame to the lanes of its servers, or to what stands in for them.
   *
   * @throws PushFailedException if there is no way for it
   */
  void distribute(Frame frame) throws IOException {
    giveToWays(frame);
    keepIfTooFew(frame);
  }

  /** Does so again, after the ways have changed. */
  private void redistribute(Frame frame) throws IOException {
    reroutedFrames += giveToWays(frame) ? 1 : 0;
    keepIfTooFew(frame);
  }

  /** False if every lane that stands for its servers has had it before. */
  private boolean giveToWays(Frame frame) {
    boolean any = false;
    for (int server : frame.servers()) {
      ServerLane lane = wayTo(server);
      if (lane != null && frame.give(lane)) {
        frame.retain();
        lane.enqueue(new Sending(frame));
        any = true;
      }
    }
    return any;
  }

  /** The lane that stands in for a server, which may be its own; null if there is none. */
  private ServerLane wayTo(int server) {
    ServerLane lane = lanes.get(server);
    while (lane.instead() != null) {
      lane = lane.instead();
    }
    return lane.isGone() ? null : lane;
  }

  /** Keeps a frame in local output if too few servers can take it. */
  private void keepIfTooFew(Frame frame) throws IOException {
    if (frame.isLocal() || isEnough(ways(frame.servers()), frame.servers())) {
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

  /** Where there are fewer servers than copies that must be safe, all of them must take it. */
  private boolean isEnough(int ways, int[] servers) {
    return ways >= Math.min(writeQuorum, servers.length);
  }

  /** Whether some server may still take frames of a set. */
  boolean hasWay(int set) {
    return ways(sets.servers(set)) > 0;
  }

  private int ways(int[] servers) {
    int ways = 0;
    for (int i = 0; i < servers.length; i++) {
      ServerLane way = wayTo(servers[i]);
      boolean counted = way == null;
      for (int j = 0; j < i && !counted; j++) {
        counted = wayTo(servers[j]) == way;
      }
      ways += counted ? 0 : 1;
    }
    return ways;
  }

  private boolean anyLost(int[] servers) {
    for (int server : servers) {
      if (lastOf(server).isLost()) {
        return true;
      }
    }
    return false;
  }

  private ServerLane firstStopped(int[] servers) {
    for (int server : servers) {
      for (ServerLane lane = lanes.get(server); lane != null; lane = lane.instead()) {
        if (!lane.isOpen()) {
          return lane;
        }
      }
    }
    throw new IllegalStateException("every server of a set is well, and yet too few take a frame");
  }

  private ServerLane lastOf(int server) {
    ServerLane lane = lanes.get(server);
    while (lane.instead() != null) {
      lane = lane.instead();
    }
    return lane;
  }

  /**
   * A server takes nothing more from this session.
   *
   * @param fault whether that is the server's own fault, so that other sessions should know
   * @param quickly whether it was given less than its time, because others had given it up
   */
  void giveUp(ServerLane lane, StatusCode code, Throwable cause, boolean fault, boolean quickly)
      throws IOException {
    boolean news = !fault || health.gaveUp(lane.server());
    lane.stop(code, cause, quickly, news);
    if (assignment.hasReplaced(lane.name())) {
      leadElsewhere(lane);
    } else if (options.furtherServers() == null) {
      noFurtherServer(lane);
    } else {
      ask(lane, Cause.FAILED, List.of());
    }
  }

  /**
   * A server no longer has what it acknowledged: without enough replicas the output has a hole
   * already.
   */
  void giveUpLost(ServerLane lane, StatusCode code, Throwable cause) throws IOException {
    lane.stop(code, cause, false, true);
    boolean mayBeWhole = true;
    for (int set = 0; set < sets.count(); set++) {
      mayBeWhole &= sets.servers(set).length > 1;
    }
    lane.gone(true);
    for (int set = 0; set < sets.count() && mayBeWhole; set++) {
      mayBeWhole =
          !contains(sets.servers(set), lane)
              || isEnough(ways(sets.servers(set)), sets.servers(set));
    }
    if (!mayBeWhole) {
      throw failed(lane);
    }
    drop(lane);
    warn(lane, "replica lost, others go on");
  }

  private boolean contains(int[] servers, ServerLane lane) {
    for (int server : servers) {
      if (lastOf(server) == lane) {
        return true;
      }
    }
    return false;
  }

  /** A server says that partitions are too large; asks once for each. */
  void onFull(ServerLane lane, List<Integer> partitions) {
    if (partitions.isEmpty() || options.furtherServers() == null) {
      return;
    }
    List<Integer> moving =
        assignment.pushedTo(
            lane.name(),
            partitions.stream()
                .filter(partition -> partition >= 0 && partition < assignment.partitionCount())
                .filter(lane::becomesFull)
                .toList());
    if (!moving.isEmpty()) {
      ask(lane, Cause.FULL, moving);
    }
  }

  private void ask(ServerLane lane, Cause cause, List<Integer> partitions) {
    CompletionStage<ShuffleAssignment> unused =
        options
            .furtherServers()
            .replace(assignment, lane.name(), cause, partitions)
            .whenComplete((next, failure) -> answers.accept(new Answer(lane, cause, next)));
  }

  void onAnswer(Answer answer) throws IOException {
    ServerLane lane = answer.lane();
    if (adopt(answer.assignment()) && answer.cause() == Cause.FULL) {
      furtherServers++;
    }
    if (answer.cause() == Cause.FAILED && lane.isStopped()) {
      if (assignment.hasReplaced(lane.name())) {
        leadElsewhere(lane);
      } else {
        noFurtherServer(lane);
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
    addLanes();
    // What others have reported helps here as well.
    for (ServerLane lane : List.copyOf(lanes)) {
      boolean waitsForWay = lane.isStopped() || (lane.isGone() && !lane.isLost());
      if (waitsForWay && assignment.hasReplaced(lane.name())) {
        leadElsewhere(lane);
      }
    }
    return true;
  }

  private void leadElsewhere(ServerLane lane) throws IOException {
    ServerLane other = wayTo(assignment.replacementOf(lane.index()));
    if (other == null) {
      if (lane.isStopped()) {
        noFurtherServer(lane);
      }
      return;
    }
    lane.leadTo(other);
    furtherServers++;
    drop(lane);
    warn(lane, "push goes on at further server " + other.name());
  }

  /** Local output and replicas are left; if there are none, a server gets all its time. */
  void noFurtherServer(ServerLane lane) throws IOException {
    if (lane.wasStoppedQuickly()
        && !givesUpSoon
        && options.localSink() == null
        && !passedByReplicas(lane)) {
      lane.openAgain();
      return;
    }
    lane.gone(false);
    drop(lane);
    warn(
        lane,
        options.localSink() == null
            ? "replica given up, others go on"
            : "server given up, its blocks go to local output or other replicas");
  }

  /** Whether every frame that the lane holds has enough servers without it. */
  private boolean passedByReplicas(ServerLane lane) {
    for (int set = 0; set < sets.count(); set++) {
      int[] servers = sets.servers(set);
      if (contains(servers, lane) && !isEnough(ways(servers) - 1, servers)) {
        return false;
      }
    }
    return true;
  }

  /** Loud once for a server and process; counters tell of the others. */
  private void warn(ServerLane lane, String what) {
    // Not by Logger.atLevel, which the SLF4J of Hadoop does not have.
    String line = "{} app={} shuffle={} attempt={} server={} code={} reason={}";
    Object[] values = {
      what,
      shuffle().getApplication(),
      shuffle().getShuffle(),
      attempt.id(),
      lane.name(),
      lane.code(),
      lane.cause().getMessage()
    };
    if (lane.isNews()) {
      LOG.warn(line, values);
    } else {
      LOG.debug(line, values);
    }
  }

  /** Hands on what a lane holds. A frame stays with the lane until others have it. */
  private void drop(ServerLane lane) throws IOException {
    for (Sending sending = lane.oldestUnsent(); sending != null; sending = lane.oldestUnsent()) {
      redistribute(sending.frame());
      lane.removeOldestUnsent();
      held.release(sending.frame());
    }
  }

  private PushFailedException failed(ServerLane lane) {
    return new PushFailedException(
        lane.name(),
        lane.code(),
        "push failed app="
            + shuffle().getApplication()
            + " shuffle="
            + shuffle().getShuffle()
            + " attempt="
            + attempt.id()
            + " server="
            + lane.name()
            + " code="
            + lane.code()
            + " failures="
            + lane.failures()
            + ": "
            + lane.cause().getMessage(),
        lane.cause());
  }

  long localBytes() {
    return localBytes;
  }

  long localFrames() {
    return localFrames;
  }

  long furtherServers() {
    return furtherServers;
  }

  long reroutedFrames() {
    return reroutedFrames;
  }
}
