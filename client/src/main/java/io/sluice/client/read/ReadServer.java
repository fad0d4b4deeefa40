package io.sluice.client.read;

import io.sluice.client.file.RunFileSource;
import io.sluice.client.read.LocatedFile.Place;
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
 * One read's state at one server: partitions to open, stretches to fetch, slices in flight. Belongs
 * to the task thread.
 */
final class ReadServer {
  private final ServerSession session;
  private boolean replaced;
  private final TreeSet<PartitionVisit> toOpen =
      new TreeSet<>(Comparator.comparingInt(PartitionVisit::partition));
  private final Set<PartitionVisit> visits = new LinkedHashSet<>();
  private final Deque<Todo> todo = new ArrayDeque<>();
  private final Deque<Slice> slices = new ArrayDeque<>();
  private List<PartitionVisit> opening = List.of();
  private String localSocket = "";
  private long openedEpoch;
  private boolean opened;
  private int restarts;

  private record Todo(PartitionVisit visit, int generation, long offset, long length, Place place) {
    boolean isWanted() {
      return generation == visit.generation();
    }

    boolean isInFile() {
      return place != null && place.file().isUsable();
    }

    static Todo of(PartitionVisit visit, Stretch stretch) {
      return new Todo(
          visit, visit.generation(), stretch.offset(), stretch.length(), stretch.place());
    }
  }

  /**
   * @param replaced whether writers have given the server up
   */
  ReadServer(ServerId server, boolean replaced) {
    this.session = new ServerSession(server);
    this.replaced = replaced;
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

  /** Writers have given the server up by now. */
  void becomesReplaced() {
    replaced = true;
  }

  boolean isReplaced() {
    return replaced;
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

  /** Whether the reply to just this Open is awaited. */
  boolean isOpening(List<PartitionVisit> asked) {
    return opening == asked;
  }

  /** Counts that offsets became invalid; returns how often that happened. */
  int countRestart() {
    return ++restarts;
  }

  int restarts() {
    return restarts;
  }

  /** Offsets that were learnt are not valid any more. */
  void forgetEpoch() {
    opened = false;
  }

  /** The source of run files, as of the last Open; while connected. */
  RunFileSource source(ShuffleId shuffle) {
    return new RunFileSource(server(), localSocket, shuffle, opened ? openedEpoch : 0);
  }

  /** The partitions of the next Open, ascending: all of them spread over servers, or none. */
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

  /** The Open was answered; gives its partitions. */
  List<PartitionVisit> endOpening() {
    List<PartitionVisit> answered = opening;
    opening = List.of();
    return answered;
  }

  /** The Open has to be sent again. */
  void reopen() {
    toOpen.addAll(endOpening());
  }

  /** Offsets that were learnt belong to this epoch. */
  void opened(long epoch) {
    opened = true;
    openedEpoch = epoch;
  }

  long openedEpoch() {
    return openedEpoch;
  }

  /** Whether offsets are known that a server of this epoch does not know. */
  boolean isStale(long epoch) {
    return opened && epoch != openedEpoch;
  }

  void beginVisit(PartitionVisit visit) {
    visits.add(visit);
    for (Stretch stretch : visit.stretches()) {
      todo.addLast(Todo.of(visit, stretch));
    }
  }

  /** Puts a visit's stretches before everything else. */
  void fetchFirst(PartitionVisit visit) {
    List<Stretch> stretches = visit.stretches();
    for (int i = stretches.size() - 1; i >= 0; i--) {
      Stretch stretch = stretches.get(i);
      todo.addFirst(Todo.of(visit, stretch));
    }
  }

  void endVisit(PartitionVisit visit) {
    visits.remove(visit);
  }

  /** The visits that are under way or waiting to be opened. */
  Stream<PartitionVisit> visits() {
    return Stream.of(toOpen, opening, visits).flatMap(Collection::stream);
  }

  /** Removes and returns all visits that are under way or waiting to be opened. */
  List<PartitionVisit> takeVisits() {
    session.answered();
    List<PartitionVisit> all = new ArrayList<>(toOpen);
    all.addAll(opening);
    all.addAll(visits);
    toOpen.clear();
    opening = List.of();
    visits.clear();
    todo.clear();
    return all;
  }

  boolean hasTodo() {
    while (!todo.isEmpty() && !todo.peekFirst().isWanted()) {
      todo.removeFirst();
    }
    return !todo.isEmpty();
  }

  /**
   * Cuts the next slice of at most so many bytes; there must be something to do. It is either
   * fetched or read from files, never both.
   */
  Slice nextSlice(int maxBytes) {
    List<Slice.Part> parts = new ArrayList<>();
    int room = maxBytes;
    boolean inFile = hasTodo() && todo.peekFirst().isInFile();
    while (room > 0
        && parts.size() < FrameLimits.MAX_RANGES
        && hasTodo()
        && todo.peekFirst().isInFile() == inFile) {
      Todo next = todo.removeFirst();
      int length = (int) Math.min(room, next.length);
      parts.add(
          new Slice.Part(
              next.visit, next.generation, next.offset, length, inFile ? next.place : null));
      if (length < next.length) {
        todo.addFirst(
            new Todo(
                next.visit,
                next.generation,
                next.offset + length,
                next.length - length,
                next.place == null ? null : next.place.plus(length)));
      }
      room -= length;
    }
    Slice slice = new Slice(parts, inFile);
    slices.addLast(slice);
    return slice;
  }

  /** In the order of asking, which is the order in which they are taken apart. */
  Deque<Slice> slices() {
    return slices;
  }

  boolean isIdle() {
    return toOpen.isEmpty() && opening.isEmpty() && slices.isEmpty() && !hasTodo();
  }

  void connected(DataConnection made) {
    session.connected(made);
    localSocket = made.localSocket();
  }

  /** Whether a request is on its way. */
  boolean hasRequests() {
    return session.isConnecting()
        || isOpening()
        || slices.stream().anyMatch(slice -> slice.state() == Slice.State.IN_FLIGHT);
  }
}
