package io.sluice.client.read;

import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.read.LocatedFile.Position;
import io.sluice.proto.Fetch;
import io.sluice.proto.Range;
import io.sluice.proto.ReportedBlock;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.protocol.FrameLimits;
import java.util.List;

/**
 * Byte ranges of one or several partitions that are fetched with one request, and their bytes once
 * received. Owned by the task thread.
 *
 * <pre>
 *  UNSENT ----&gt; IN_FLIGHT ----&gt; RECEIVED ----&gt; parsed and released
 *     ^             |
 *     +-- failure --+     after a failure of run files, the slice is fetched from the server
 * </pre>
 */
final class Slice {
  private final List<Part> parts;
  private final int length;
  private boolean inFile;
  private State state = State.UNSENT;
  private long sentNanos;
  private FetchedBody body;
  private int attempts;
  private int partNumber;
  private int partConsumed;
  private int index;

  enum State {
    UNSENT,
    IN_FLIGHT,
    RECEIVED
  }

  /**
   * A byte range of one partition.
   *
   * @param generation generation of the visit when the slice was created
   * @param position position in a run file; null if the bytes are fetched
   */
  record Part(PartitionVisit visit, int generation, long offset, int length, Position position) {
    boolean isWanted() {
      return generation == visit.generation();
    }
  }

  /**
   * @param inFile whether the slice is read from run files; every part then has a position
   */
  Slice(List<Part> parts, boolean inFile) {
    this.parts = List.copyOf(parts);
    this.inFile = inFile;
    this.length = parts.stream().mapToInt(Part::length).sum();
  }

  Fetch request(ShuffleId shuffle, long epoch) {
    Fetch.Builder fetch = Fetch.newBuilder().setShuffle(shuffle).setEpoch(epoch);
    parts.stream()
        .filter(part -> part.isWanted() && part.visit.isDamagedAt(part.offset))
        .limit(FrameLimits.MAX_REPORTED_BLOCKS)
        .forEach(
            part ->
                fetch.addDamaged(
                    ReportedBlock.newBuilder()
                        .setPartition(part.visit.partition())
                        .setOffset(part.offset)));
    for (Part part : parts) {
      fetch.addRanges(
          Range.newBuilder()
              .setPartition(part.visit.partition())
              .setOffset(part.offset)
              .setLength(part.length));
    }
    return fetch.build();
  }

  /** Whether the slice is read from run files. */
  boolean isInFile() {
    return inFile;
  }

  /**
   * Reading the run files failed: the slice is fetched instead, and the files are no longer used.
   */
  void filesFailed() {
    inFile = false;
    parts.forEach(part -> part.position.file().failed());
  }

  /** The pieces of run files that contain the bytes of the slice, in order. */
  List<OpenRunFiles.Piece> pieces() {
    return parts.stream()
        .map(
            part ->
                new OpenRunFiles.Piece(
                    part.position.file().file(), part.position.offset(), part.length))
        .toList();
  }

  List<Part> parts() {
    return parts;
  }

  int length() {
    return length;
  }

  State state() {
    return state;
  }

  void moveTo(State next) {
    state = next;
  }

  void sent(long now) {
    state = State.IN_FLIGHT;
    sentNanos = now;
  }

  /** Time of the last request for the bytes. */
  long sentNanos() {
    return sentNanos;
  }

  /** Counts a failed attempt; returns their number. */
  int countAttempt() {
    return ++attempts;
  }

  int attempts() {
    return attempts;
  }

  /**
   * @param bytes takes
   */
  void arrived(FetchedBody bytes) {
    body = bytes;
    index = bytes.bytes().readerIndex();
    state = State.RECEIVED;
  }

  FetchedBody body() {
    return body;
  }

  /** The part to parse now; null at the end. */
  Part part() {
    return partNumber < parts.size() ? parts.get(partNumber) : null;
  }

  /** Index in the body of the first byte that is not consumed. */
  int index() {
    return index;
  }

  /** Number of bytes of the current part that are not consumed. */
  int available() {
    return parts.get(partNumber).length - partConsumed;
  }

  /** Logical offset in the partition of the first byte that is not consumed. */
  long offset() {
    return parts.get(partNumber).offset + partConsumed;
  }

  void consume(int bytes) {
    index += bytes;
    partConsumed += bytes;
  }

  void nextPart() {
    index += available();
    partNumber++;
    partConsumed = 0;
  }

  /** Frees the bytes. Idempotent. */
  void release() {
    if (body != null) {
      body.close();
      body = null;
    }
  }
}
