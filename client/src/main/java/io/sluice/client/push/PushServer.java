package io.sluice.client.push;

import io.sluice.client.server.ServerSession;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * State of one server in one push session: its unsent and in-flight frames, and the epochs in which
 * it acknowledged frames. Owned by the task thread.
 *
 * <pre>
 *          stop              replaceBy
 *  OPEN ---------&gt; STOPPED ------------&gt; REPLACED    frames move to the replacement server
 *    ^             |     |                   ^
 *    +-- reopen ---+     | giveUp            | replaceBy
 *                        +----&gt; GIVEN_UP ----+
 * </pre>
 *
 * <p>OPEN: frames are sent and retried. STOPPED: nothing is sent; the driver was asked for a
 * replacement server. GIVEN_UP: no replacement server is available; a later assignment may still
 * have one. The last replacement of a REPLACED server gets its frames.
 */
final class PushServer {
  private final int index;
  private final ServerSession session;
  // In the order of creation, so that a retried frame precedes newer ones.
  private final PriorityQueue<Sending> unsent =
      new PriorityQueue<>((a, b) -> Long.compare(a.frame.number(), b.frame.number()));
  // In the order of sending.
  private final Set<Sending> inFlight = new LinkedHashSet<>();
  private final BitSet fullPartitions = new BitSet();
  private State state = State.OPEN;
  private PushServer replacement;
  private Failure failure;
  private boolean failureKnown;
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
    GIVEN_UP
  }

  /**
   * Why a server is given up.
   *
   * @param serverFault whether the server itself failed, so that other sessions must know it
   * @param early whether the server did not get its full retry period, because other tasks gave it
   *     up
   */
  record Failure(StatusCode code, Throwable cause, boolean serverFault, boolean early) {
    /** A failure that lasted for the full retry period, or that no retry can end. */
    static Failure of(StatusCode code, Throwable cause) {
      return new Failure(code, cause, code.onPush().isServersFault(), false);
    }

    /** As {@link #of(StatusCode, Throwable)}, with the code of a refusal, else INTERNAL. */
    static Failure of(Throwable cause) {
      return of(
          cause instanceof SluiceException refusal ? refusal.code() : StatusCode.INTERNAL, cause);
    }

    /** This failure before the end of the full retry period. */
    Failure asEarly() {
      return new Failure(code, cause, serverFault, true);
    }
  }

  /** A frame on its way to one server; a replicated frame has one for each server. */
  static final class Sending {
    private final Frame frame;
    private int damages;
    private long sentNanos;

    Sending(Frame frame) {
      this.frame = frame;
    }

    Frame frame() {
      return frame;
    }

    /** Counts an arrival with a wrong checksum; returns the number of such arrivals. */
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

  Sending sendNext(long now) {
    Sending sending = unsent.remove();
    sending.sentNanos = now;
    inFlight.add(sending);
    inFlightBytes += sending.frame.length();
    return sending;
  }

  /** Whether frames can be neither sent nor acknowledged now: a failure, or no connection. */
  boolean isBlocked() {
    return inFlight.isEmpty() && !unsent.isEmpty();
  }

  /** Time at which the oldest frame in flight was sent; requires such a frame. */
  long oldestSentNanos() {
    return inFlight.iterator().next().sentNanos;
  }

  /**
   * Handles the arrival of a reply; false if the frame is no longer in flight, so that the caller
   * ignores it.
   */
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

  /** Whether the server still stores the frames that it acknowledged in an epoch. */
  boolean stillStores(long acknowledgedEpoch) {
    return acknowledgedEpoch >= wholeSinceEpoch;
  }

  /**
   * Whether the server, after a reconnect, still stores all frames that it acknowledged to this
   * session.
   */
  boolean canResume(DataConnection made) {
    return !acknowledged || made.wholeSinceEpoch() <= firstAcknowledgedEpoch;
  }

  void acknowledged(long inEpoch) {
    firstAcknowledgedEpoch = acknowledged ? Math.min(firstAcknowledgedEpoch, inEpoch) : inEpoch;
    acknowledged = true;
    session.succeeded();
    session.replyReceived();
  }

  boolean hasAcknowledged() {
    return acknowledged;
  }

  /** Returns true at the first call only, before the first push to the server. */
  boolean startOnce() {
    boolean first = !started;
    started = true;
    return first;
  }

  /** Whether the server gets its full retry period, because there is no other server. */
  boolean mustWait() {
    return mustWait;
  }

  /** Records a full partition; returns whether the server reports it for the first time. */
  boolean markFull(int partition) {
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

  boolean isGivenUp() {
    return state == State.GIVEN_UP;
  }

  /** Whether the server lost acknowledged frames. */
  boolean isLost() {
    return lost;
  }

  /** The replacement server, or null. */
  PushServer replacement() {
    return replacement;
  }

  /** Reason why the server was stopped; null if it was not. */
  Failure failure() {
    return failure;
  }

  /** Whether other sessions of the process gave the server up before. */
  boolean isFailureKnown() {
    return failureKnown;
  }

  /**
   * Stops sending: unacknowledged frames become unsent, and late replies are ignored.
   *
   * @param known whether other sessions of the process gave the server up before
   */
  void stop(Failure why, boolean known) {
    state = State.STOPPED;
    failure = why;
    failureKnown = known;
    session.replyReceived();
    session.endBackOff();
    session.disconnected();
    for (Sending sending : inFlight) {
      unsent.add(new Sending(sending.frame));
    }
    inFlight.clear();
    inFlightBytes = 0;
  }

  /** Sends to the server again for its full retry period, because there is no other server. */
  void reopen() {
    state = State.OPEN;
    mustWait = true;
    session.succeeded();
  }

  void replaceBy(PushServer other) {
    state = State.REPLACED;
    replacement = other;
  }

  /**
   * Gives the server up: it gets no more frames. The caller removes the queued frames.
   *
   * @param lostAcknowledged whether the server lost acknowledged frames
   */
  void giveUp(boolean lostAcknowledged) {
    state = State.GIVEN_UP;
    lost |= lostAcknowledged;
  }

  /** Ends the session at this server; returns the unacknowledged frames. */
  List<Sending> end() {
    state = State.GIVEN_UP;
    session.disconnected();
    List<Sending> left = new ArrayList<>(inFlight);
    left.addAll(unsent);
    inFlight.clear();
    unsent.clear();
    inFlightBytes = 0;
    return left;
  }
}
