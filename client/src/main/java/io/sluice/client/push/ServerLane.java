package io.sluice.client.push;

import io.sluice.client.Lane;
import io.sluice.client.transport.DataConnection;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One session's dealings with one server. Owned by the task thread.
 *
 * <p>States: open (with no connection, connecting, or connected; backing off holds sending in any
 * of them), then stopped while a further server is asked for, then led elsewhere or gone. A lane
 * that was stopped may be opened again. One that is gone may still be led elsewhere later.
 */
final class ServerLane extends Lane {
  private final int index;
  // In the order of cutting, so that what is sent again comes before what is new.
  private final PriorityQueue<Sending> unsent =
      new PriorityQueue<>((a, b) -> Long.compare(a.frame.number(), b.frame.number()));
  private final Set<Sending> inFlight = new HashSet<>();
  private final BitSet full = new BitSet();
  private State state = State.OPEN;
  private ServerLane instead;
  private StatusCode code;
  private Throwable cause;
  private boolean started;
  private boolean patient;
  private boolean stoppedQuickly;
  private boolean news;
  private boolean lost;
  private boolean probing;
  private long probeUntilNanos;
  private long inFlightBytes;
  private boolean epochKnown;
  private long epoch;
  private long wholeSinceEpoch;
  private boolean acknowledged;
  private long firstAcknowledgedEpoch;

  private enum State {
    OPEN,
    STOPPED,
    LED_ELSEWHERE,
    GONE
  }

  /** A frame on its way to one server. */
  static final class Sending {
    private final Frame frame;
    private int damages;

    Sending(Frame frame) {
      this.frame = frame;
    }

    Frame frame() {
      return frame;
    }

    /** Arrived damaged once more; gives how often. */
    int countDamage() {
      return ++damages;
    }
  }

  ServerLane(int index, ServerId server) {
    super(server);
    this.index = index;
  }

  int index() {
    return index;
  }

  void enqueue(Sending sending) {
    unsent.add(sending);
  }

  boolean hasUnsent() {
    return !unsent.isEmpty();
  }

  /** The oldest frame that is not on its way, or null. */
  Sending oldestUnsent() {
    return unsent.peek();
  }

  void removeOldestUnsent() {
    unsent.remove();
  }

  /** Whether something is still to be acknowledged. */
  boolean isWaiting() {
    return !unsent.isEmpty() || !inFlight.isEmpty();
  }

  /** Whether the next frame fits into the window; one frame always does. */
  boolean mayTake(long windowBytes) {
    return inFlight.isEmpty() || inFlightBytes + unsent.peek().frame.length() <= windowBytes;
  }

  Sending next() {
    Sending sending = unsent.remove();
    inFlight.add(sending);
    inFlightBytes += sending.frame.length();
    return sending;
  }

  /** False for word of a sending that was given up before. */
  boolean onAnswered(Sending sending) {
    if (!inFlight.remove(sending)) {
      return false;
    }
    inFlightBytes -= sending.frame.length();
    return true;
  }

  /** What is sent on this connection belongs to its epoch. */
  @Override
  public void connected(DataConnection made) {
    super.connected(made);
    epoch = made.epoch();
    wholeSinceEpoch = made.wholeSinceEpoch();
    epochKnown = true;
  }

  boolean epochKnown() {
    return epochKnown;
  }

  long epoch() {
    return epoch;
  }

  /** Whether what the server acknowledged in an epoch is still there in the present one. */
  boolean stillHolds(long acknowledgedEpoch) {
    return acknowledgedEpoch >= wholeSinceEpoch;
  }

  /** Whether a life of the server still has everything that it acknowledged on this lane. */
  boolean canGoOn(DataConnection made) {
    return !acknowledged || made.wholeSinceEpoch() <= firstAcknowledgedEpoch;
  }

  /** The server is well. */
  void acknowledged(long inEpoch) {
    firstAcknowledgedEpoch = acknowledged ? Math.min(firstAcknowledgedEpoch, inEpoch) : inEpoch;
    acknowledged = true;
    succeeded();
    probing = false;
  }

  boolean hasAcknowledged() {
    return acknowledged;
  }

  /** Whether sending has begun. */
  boolean isStarted() {
    return started;
  }

  void started() {
    started = true;
  }

  /** The server is known to be failing: it gets until then for a first acknowledgement. */
  void probeUntil(long nanos) {
    probing = true;
    probeUntilNanos = nanos;
  }

  boolean isProbing() {
    return probing;
  }

  long probeUntilNanos() {
    return probeUntilNanos;
  }

  /** Whether the server has to be waited for, because there is no other way. */
  boolean isPatient() {
    return patient;
  }

  /** Whether this is the first time that the server calls the partition full. */
  boolean becomesFull(int partition) {
    if (full.get(partition)) {
      return false;
    }
    full.set(partition);
    return true;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Waiting for word of a further server. */
  boolean isStopped() {
    return state == State.STOPPED;
  }

  boolean isGone() {
    return state == State.GONE;
  }

  /** Whether the server no longer has what it acknowledged. */
  boolean isLost() {
    return lost;
  }

  /** Where its frames go now, or null. */
  ServerLane instead() {
    return instead;
  }

  /** Why it was stopped. */
  StatusCode code() {
    return code;
  }

  Throwable cause() {
    return cause;
  }

  boolean wasStoppedQuickly() {
    return stoppedQuickly;
  }

  /** Whether people should read of it. */
  boolean isNews() {
    return news;
  }

  /**
   * Sends nothing more, and holds what was not acknowledged. Word of it is not heeded any more.
   *
   * @param quickly whether it was given less than its time
   * @param first whether nobody in this process knew that
   */
  void stop(StatusCode why, Throwable failure, boolean quickly, boolean first) {
    state = State.STOPPED;
    code = why;
    cause = failure;
    stoppedQuickly = quickly;
    news = first;
    probing = false;
    backOffEnded();
    disconnected();
    for (Sending sending : inFlight) {
      unsent.add(new Sending(sending.frame));
    }
    inFlight.clear();
    inFlightBytes = 0;
  }

  /** There is no other way: it gets all its time. */
  void openAgain() {
    state = State.OPEN;
    patient = true;
    succeeded();
  }

  void leadTo(ServerLane other) {
    state = State.LED_ELSEWHERE;
    instead = other;
  }

  /** Nothing goes there any more. What it holds is for the caller to remove. */
  void gone(boolean lostAcknowledged) {
    state = State.GONE;
    lost |= lostAcknowledged;
  }

  /** Ends the lane; gives what was not acknowledged. */
  List<Sending> end() {
    state = State.GONE;
    disconnected();
    List<Sending> left = new ArrayList<>(inFlight);
    left.addAll(unsent);
    inFlight.clear();
    unsent.clear();
    inFlightBytes = 0;
    return left;
  }
}
