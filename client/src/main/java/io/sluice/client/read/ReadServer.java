package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.file.RunFileSource;
import io.sluice.client.read.LocatedFile.Position;
import io.sluice.client.read.PartitionVisit.Stretch;
import io.sluice.client.server.ServerSession;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.protocol.FrameLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * State of one server in one read: partitions to open, stretches to fetch, slices in flight. Owned
 * by the task thread.
 *
 * <pre>
 *   open        startOpening           beginVisit           nextSlice
 *  -----&gt; toOpen -----------&gt; opening -----------&gt; pending -----------&gt; slices ----&gt; parsed
 *           ^                    |
 *           +------ reopen ------+
 * </pre>
 *
 * <p>Invariants: at most one Open request is in flight. Offsets of all visits belong to one epoch
 * of the server; after a restart ({@link #isStale}) every visit is opened again.
 */
final class ReadServer {
  private final ServerSession session;
  private boolean replaced;
  private boolean leaving;
  private final TreeSet<PartitionVisit> toOpen =
      new TreeSet<>(Comparator.comparingInt(PartitionVisit::partition));
  private final Set<PartitionVisit> visits = new LinkedHashSet<>();
  private final Deque<PendingStretch> pending = new ArrayDeque<>();
  private final Deque<Slice> slices = new ArrayDeque<>();
  private List<PartitionVisit> opening = List.of();
  private String localSocket = "";
  private long openedEpoch;
  private boolean opened;
  private int restarts;
  private long requestedNanos;
  private boolean openMayWait;

  private record PendingStretch(
      PartitionVisit visit, int generation, long offset, long length, Position position) {
    boolean isWanted() {
      return generation == visit.generation();
    }

    boolean isInFile() {
      return position != null && position.file().isUsable();
    }

    static PendingStretch of(PartitionVisit visit, Stretch stretch) {
      return new PendingStretch(
          visit, visit.generation(), stretch.offset(), stretch.length(), stretch.position());
    }
  }

  ReadServer(ServerId server) {
    this.session = new ServerSession(server);
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

  /** Sets whether an assignment replaces the server. */
  void update(ShuffleAssignment assignment) {
    leaving = assignment.isLeaving(name());
    replaced = !leaving && assignment.hasReplaced(name());
  }

  /** Whether the server was replaced because map tasks gave it up. */
  boolean isReplaced() {
    return replaced;
  }

  /** Whether the server was replaced because it moves its data. It may have left. */
  boolean isLeaving() {
    return leaving;
  }

  void open(PartitionVisit visit) {
    toOpen.add(visit);
  }

  boolean hasToOpen() {
    return !toOpen.isEmpty();
  }

  boolean isOpening() {
    return !opening.isEmpty();
  }

  /** Whether the Open request of exactly this list is in flight. */
  boolean isOpening(List<PartitionVisit> asked) {
    return opening == asked;
  }

  /** Counts a loss of all offsets; returns the number of losses. */
  int countRestart() {
    return ++restarts;
  }

  int restarts() {
    return restarts;
  }

  /** Forgets the epoch of the known offsets, which are no longer valid. */
  void forgetEpoch() {
    opened = false;
  }

  /** The source of run files as of the last Open; requires a connection. */
  RunFileSource source(ShuffleId shuffle) {
    return new RunFileSource(server(), localSocket, shuffle, opened ? openedEpoch : 0);
  }

  /**
   * Starts an Open request; returns its partitions, ascending: either all are spread over servers,
   * or none.
   */
  List<PartitionVisit> startOpening() {
    List<PartitionVisit> next = new ArrayList<>();
    boolean spread = toOpen.first().progress().order().isSpread();
    Iterator<PartitionVisit> waiting = toOpen.iterator();
    while (next.size() < FrameLimits.MAX_PARTITIONS && waiting.hasNext()) {
      PartitionVisit visit = waiting.next();
      if (visit.progress().order().isSpread() == spread) {
        next.add(visit);
        waiting.remove();
      }
    }
    opening = next;
    return next;
  }

  /**
   * Records the time of an Open request or of a connection attempt.
   *
   * @param mayWait whether the server delays its reply until map attempts are complete
   */
  void requested(long now, boolean mayWait) {
    requestedNanos = now;
    openMayWait = mayWait;
  }

  /** Whether the reply may be late because map attempts are incomplete. */
  boolean waitsForAttempts() {
    return openMayWait && isOpening();
  }

  /**
   * Time of the oldest request in flight.
   *
   * @param none result if no request is in flight
   */
  long oldestRequestNanos(long none) {
    long oldest = none;
    for (Slice slice : slices) {
      if (slice.state() == Slice.State.IN_FLIGHT) {
        oldest = slice.sentNanos();
        break;
      }
    }
    return (session.isConnecting() || isOpening()) && requestedNanos - oldest < 0
        ? requestedNanos
        : oldest;
  }

  /** Ends the Open request; returns its partitions. */
  List<PartitionVisit> endOpening() {
    List<PartitionVisit> answered = opening;
    opening = List.of();
    return answered;
  }

  /** Queues the partitions of a failed Open request again. */
  void reopen() {
    toOpen.addAll(endOpening());
  }

  /** Sets the epoch of the known offsets. */
  void opened(long epoch) {
    opened = true;
    openedEpoch = epoch;
  }

  long openedEpoch() {
    return openedEpoch;
  }

  /** Whether the known offsets belong to another epoch than this one. */
  boolean isStale(long epoch) {
    return opened && epoch != openedEpoch;
  }

  void beginVisit(PartitionVisit visit) {
    visits.add(visit);
    for (Stretch stretch : visit.stretches()) {
      pending.addLast(PendingStretch.of(visit, stretch));
    }
  }

  /** Queues the stretches of a visit before all others. */
  void fetchFirst(PartitionVisit visit) {
    List<Stretch> stretches = visit.stretches();
    for (int i = stretches.size() - 1; i >= 0; i--) {
      Stretch stretch = stretches.get(i);
      pending.addFirst(PendingStretch.of(visit, stretch));
    }
  }

  void endVisit(PartitionVisit visit) {
    visits.remove(visit);
  }

  /** The visits that are in progress or waiting to be opened. */
  Stream<PartitionVisit> visits() {
    return Stream.of(toOpen, opening, visits).flatMap(Collection::stream);
  }

  /** Removes and returns all visits that are in progress or waiting to be opened. */
  List<PartitionVisit> takeVisits() {
    session.replyReceived();
    List<PartitionVisit> all = new ArrayList<>(toOpen);
    all.addAll(opening);
    all.addAll(visits);
    toOpen.clear();
    opening = List.of();
    visits.clear();
    pending.clear();
    return all;
  }

  boolean hasPending() {
    while (!pending.isEmpty() && !pending.peekFirst().isWanted()) {
      pending.removeFirst();
    }
    return !pending.isEmpty();
  }

  /**
   * Returns the next slice, of at most {@code maxBytes} bytes. There must be pending stretches. A
   * slice is either fetched or read from files, never both.
   */
  Slice nextSlice(int maxBytes) {
    List<Slice.Part> parts = new ArrayList<>();
    int room = maxBytes;
    boolean inFile = hasPending() && pending.peekFirst().isInFile();
    while (room > 0
        && parts.size() < FrameLimits.MAX_RANGES
        && hasPending()
        && pending.peekFirst().isInFile() == inFile) {
      PendingStretch next = pending.removeFirst();
      int length = (int) Math.min(room, next.length);
      parts.add(
          new Slice.Part(
              next.visit, next.generation, next.offset, length, inFile ? next.position : null));
      if (length < next.length) {
        pending.addFirst(
            new PendingStretch(
                next.visit,
                next.generation,
                next.offset + length,
                next.length - length,
                next.position == null ? null : next.position.plus(length)));
      }
      room -= length;
    }
    Slice slice = new Slice(parts, inFile);
    slices.addLast(slice);
    return slice;
  }

  /** Slices in the order of the requests, which is the order of parsing. */
  Deque<Slice> slices() {
    return slices;
  }

  boolean isIdle() {
    return toOpen.isEmpty() && opening.isEmpty() && slices.isEmpty() && !hasPending();
  }

  void connected(DataConnection made) {
    session.connected(made);
    localSocket = made.localSocket();
  }

  /** Whether a request is in flight. */
  boolean hasRequests() {
    return session.isConnecting()
        || isOpening()
        || slices.stream().anyMatch(slice -> slice.state() == Slice.State.IN_FLIGHT);
  }
}
