package io.sluice.client.push;

import io.sluice.client.server.ServerSession;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One push session's state at one server: its frames, and the epochs in which the server
 * acknowledged some. Belongs to the task thread.
 *
 * <pre>
 *  OPEN --stop--&gt; STOPPED --replaceBy--&gt; REPLACED   frames go to the replacement server
 *   ^               | |
 *   +--openAgain----+ +--give up--&gt; GONE --replaceBy--&gt; REPLACED
 * </pre>
 *
 * <p>STOPPED: the server accepts nothing, and a replacement server was asked for. GONE: there is
 * none; a later assignment may still name one.
 */
final class PushServer {
  private final int index;
  private final ServerSession session;
  // In the order of cutting, so that a frame that is sent again precedes newer ones.
  private final PriorityQueue<Sending> unsent =
      new PriorityQueue<>((a, b) -> Long.compare(a.frame.number(), b.frame.number()));
  private final Set<Sending> inFlight = new HashSet<>();
  private final BitSet fullPartitions = new BitSet();
  private State state = State.OPEN;
  private PushServer replacement;
  private Failure failure;
  private boolean started;
  private boolean mustWait;
  private boolean lost;
  private long inFlightBytes;
  private boolean epochKnown;
  private long epoch;
  private long wholeSinceEpoch;
  private boolean acknowledged;
  private long firstAcknowledgedEpoch;

  private enum State {
    OPEN,
    STOPPED,
    REPLACED,
    GONE
  }

  /**
   * Why a server was stopped.
   *
   * @param early whether the server had less than its retry period, because other tasks had given
   *     it up
   * @param first whether no other task of the process knew that it fails
   */
  record Failure(StatusCode code, Throwable cause, boolean early, boolean first) {}

  /** A frame that is sent to one server. */
  static final class Sending {
    private final Frame frame;
    private int damages;

    Sending(Frame frame) {
      this.frame = frame;
    }

    Frame frame() {
      return frame;
    }

    /** Counts an arrival with a wrong checksum; returns their number. */
    int countDamage() {
      return ++damages;
    }
  }

  PushServer(int index, ServerId server) {
    this.index = index;
    this.session = new ServerSession(server);
  }

  /** Index in the assignment. */
  int index() {
    return index;
  }

  ServerSession session() {
    return session;
  }

  ServerId server() {
    return session.server();
  }

  String name() {
    return session.name();
  }

  void enqueue(Sending sending) {
    unsent.add(sending);
  }

  boolean hasUnsent() {
    return !unsent.isEmpty();
  }

  /** The oldest frame that is not in flight, or null. */
  Sending oldestUnsent() {
    return unsent.peek();
  }

  void removeOldestUnsent() {
    unsent.remove();
  }

  /** Whether frames wait to be sent or acknowledged. */
  boolean hasFrames() {
    return !unsent.isEmpty() || !inFlight.isEmpty();
  }

  /** Whether the next frame fits into a window; one frame always does. */
  boolean fits(long windowBytes) {
    return inFlight.isEmpty() || inFlightBytes + unsent.peek().frame.length() <= windowBytes;
  }

  Sending sendNext() {
    Sending sending = unsent.remove();
    inFlight.add(sending);
    inFlightBytes += sending.frame.length();
    return sending;
  }

  /** A reply has arrived; false if its frame is not in flight any more. */
  boolean onReply(Sending sending) {
    if (!inFlight.remove(sending)) {
      return false;
    }
    inFlightBytes -= sending.frame.length();
    return true;
  }

  /** Frames that are sent from now on belong to the epoch of this connection. */
  void connected(DataConnection made) {
    session.connected(made);
    epoch = made.epoch();
    wholeSinceEpoch = made.wholeSinceEpoch();
    epochKnown = true;
  }

  boolean isEpochKnown() {
    return epochKnown;
  }

  long epoch() {
    return epoch;
  }

  /** Whether the server still stores what it acknowledged in an epoch. */
  boolean stillStores(long acknowledgedEpoch) {
    return acknowledgedEpoch >= wholeSinceEpoch;
  }

  /** Whether the server, as connected to, still stores everything that it acknowledged here. */
  boolean canResume(DataConnection made) {
    return !acknowledged || made.wholeSinceEpoch() <= firstAcknowledgedEpoch;
  }

  void acknowledged(long inEpoch) {
    firstAcknowledgedEpoch = acknowledged ? Math.min(firstAcknowledgedEpoch, inEpoch) : inEpoch;
    acknowledged = true;
    session.succeeded();
    session.answered();
  }

  boolean hasAcknowledged() {
    return acknowledged;
  }

  /** True for the first caller: nothing has been sent before. */
  boolean start() {
    boolean first = !started;
    started = true;
    return first;
  }

  /** Whether the server gets its whole retry period, because there is no other server. */
  boolean mustWait() {
    return mustWait;
  }

  /** Whether the server reports the partition as full for the first time. */
  boolean becomesFull(int partition) {
    if (fullPartitions.get(partition)) {
      return false;
    }
    fullPartitions.set(partition);
    return true;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean isStopped() {
    return state == State.STOPPED;
  }

  boolean isGone() {
    return state == State.GONE;
  }

  /** Whether the server no longer stores what it acknowledged. */
  boolean isLost() {
    return lost;
  }

  /** The server that gets the frames instead, or null. */
  PushServer replacement() {
    return replacement;
  }

  /** Why the server was stopped; null before. */
  Failure failure() {
    return failure;
  }

  /** Sends nothing more; unacknowledged frames become unsent, and late replies are ignored. */
  void stop(Failure why) {
    state = State.STOPPED;
    failure = why;
    session.answered();
    session.endBackOff();
    session.disconnected();
    for (Sending sending : inFlight) {
      unsent.add(new Sending(sending.frame));
    }
    inFlight.clear();
    inFlightBytes = 0;
  }

  /** There is no other server: it gets its whole retry period. */
  void openAgain() {
    state = State.OPEN;
    mustWait = true;
    session.succeeded();
  }

  void replaceBy(PushServer other) {
    state = State.REPLACED;
    replacement = other;
  }

  /**
   * The server gets no more frames. The caller removes those that are left.
   *
   * @param lostAcknowledged whether the server no longer stores what it acknowledged
   */
  void giveUp(boolean lostAcknowledged) {
    state = State.GONE;
    lost |= lostAcknowledged;
  }

  /** Ends the session with this server; returns the frames that were not acknowledged. */
  List<Sending> end() {
    state = State.GONE;
    session.disconnected();
    List<Sending> left = new ArrayList<>(inFlight);
    left.addAll(unsent);
    inFlight.clear();
    unsent.clear();
    inFlightBytes = 0;
    return left;
  }
}
