package io.sluice.client.read;

import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.read.LocatedFile.Place;
import io.sluice.proto.Fetch;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.FetchedBody;
import java.util.List;

/** What one Fetch asks for, and its bytes once they are here. Belongs to one thread. */
final class Slice {
  private final List<Part> parts;
  private final int length;
  private boolean inFile;
  private State state = State.TO_SEND;
  private FetchedBody body;
  private int attempts;
  private int partNumber;
  private int partConsumed;
  private int index;

  enum State {
    TO_SEND,
    IN_FLIGHT,
    HERE
  }

  /**
   * A stretch of one partition.
   *
   * @param generation of the visit when it was asked for
   * @param place in a file; null where it is fetched
   */
  record Part(PartitionVisit visit, int generation, long offset, int length, Place place) {
    boolean isWanted() {
      return generation == visit.generation();
    }
  }

  /**
   * @param inFile every part has a place
   */
  Slice(List<Part> parts, boolean inFile) {
    this.parts = List.copyOf(parts);
    this.inFile = inFile;
    this.length = parts.stream().mapToInt(Part::length).sum();
  }

  Fetch request(ShuffleId shuffle, long epoch) {
    Fetch.Builder fetch = Fetch.newBuilder().setShuffle(shuffle).setEpoch(epoch);
    for (Part part : parts) {
      fetch.addRanges(
          Range.newBuilder()
              .setPartition(part.visit.partition())
              .setOffset(part.offset)
              .setLength(part.length));
    }
    return fetch.build();
  }

  /** Whether it is to be read from files. */
  boolean isInFile() {
    return inFile;
  }

  /** The files did not give it: it is to be fetched, and nothing more is read from them. */
  void filesFailed() {
    inFile = false;
    parts.forEach(part -> part.place.file().failed());
  }

  /** Where its bytes lie in files, one after the other. */
  List<OpenRunFiles.Piece> pieces() {
    return parts.stream()
        .map(
            part ->
                new OpenRunFiles.Piece(
                    part.place.file().file(), part.place.position(), part.length))
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

  /** One more try has failed. */
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
    state = State.HERE;
  }

  FetchedBody body() {
    return body;
  }

  /** The part to take apart now, or null at the end. */
  Part part() {
    return partNumber < parts.size() ? parts.get(partNumber) : null;
  }

  /** Where in the body the first byte lies that has not been consumed. */
  int index() {
    return index;
  }

  /** Bytes of the current part that have not been consumed. */
  int available() {
    return parts.get(partNumber).length - partConsumed;
  }

  /** Logical offset in the partition of the first byte that has not been consumed. */
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
