package io.sluice.client.push;

import io.sluice.client.transport.DataConnection;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One session's dealings with one server. Owned by the task thread.
 *
 * <p>States: no connection, connecting, connected; given up is the end. Backing off holds sending
 * in any of them.
 */
final class ServerLane {
  private final int index;
  private final ServerId server;
  // In the order of cutting, so that what is sent again comes before what is new.
  private final PriorityQueue<Sending> unsent =
      new PriorityQueue<>((a, b) -> Long.compare(a.frame.number(), b.frame.number()));
  private final Set<Sending> inFlight = new HashSet<>();
  private long inFlightBytes;
  private DataConnection connection;
  private boolean connecting;
  private boolean givenUp;
  private boolean epochKnown;
  private long epoch;
  private long wholeSinceEpoch;
  private boolean acknowledged;
  private long firstAcknowledgedEpoch;
  private int failures;
  private long failingSinceNanos;
  private boolean backingOff;
  private long notBeforeNanos;

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
    this.index = index;
    this.server = server;
  }

  int index() {
    return index;
  }

  ServerId server() {
    return server;
  }

  String name() {
    return server.getName();
  }

  void enqueue(Sending sending) {
    unsent.add(sending);
  }

  boolean hasUnsent() {
    return !unsent.isEmpty();
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

  void onAnswered(Sending sending) {
    if (inFlight.remove(sending)) {
      inFlightBytes -= sending.frame.length();
    }
  }

  DataConnection connection() {
    return connection;
  }

  boolean isConnecting() {
    return connecting;
  }

  void connecting() {
    connecting = true;
    connection = null;
  }

  /** What is sent on this connection belongs to its epoch. */
  void connected(DataConnection made) {
    connecting = false;
    connection = made;
    epoch = made.epoch();
    wholeSinceEpoch = made.wholeSinceEpoch();
    epochKnown = true;
  }

  void disconnected() {
    connecting = false;
    connection = null;
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
    failures = 0;
    backingOff = false;
  }

  void failed(long nowNanos) {
    if (failures++ == 0) {
      failingSinceNanos = nowNanos;
    }
  }

  /** Failures since the last acknowledgement. */
  int failures() {
    return failures;
  }

  long failingSinceNanos() {
    return failingSinceNanos;
  }

  void backOffUntil(long nanos) {
    backingOff = true;
    notBeforeNanos = nanos;
  }

  void backOffEnded() {
    backingOff = false;
  }

  boolean isBackingOff() {
    return backingOff;
  }

  long notBeforeNanos() {
    return notBeforeNanos;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /** Ends the lane; gives what was not acknowledged. */
  List<Sending> giveUp() {
    givenUp = true;
    connecting = false;
    connection = null;
    List<Sending> left = new ArrayList<>(inFlight);
    left.addAll(unsent);
    inFlight.clear();
    unsent.clear();
    inFlightBytes = 0;
    return left;
  }
}
