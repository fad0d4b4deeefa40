package io.sluice.client.read;

import io.sluice.client.read.LocalOutput.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a read wants of local output and has not got an answer for. Belongs to one thread.
 *
 * <p>Pieces are requested in batches, at the latest when the task has to wait, so that pieces of
 * many partitions travel together. They are fetched while servers are still being read, but taken
 * only when nothing more is to come from servers: one thread cannot wait for both.
 */
final class LocalPieces {
  private final LocalOutput output;
  private final List<Piece> wanted = new ArrayList<>();
  private final Map<Piece, PartitionProgress> outstanding = new HashMap<>();
  private final Map<Integer, Integer> leftOfPartition = new HashMap<>();

  /**
   * @param output null for none; belongs to the read
   */
  LocalPieces(LocalOutput output) {
    this.output = output;
  }

  boolean mayHave(long mapAttempt) {
    return output != null && output.mayHave(mapAttempt);
  }

  /**
   * All servers have been asked for a partition: wants the rest.
   *
   * @param missing told of the attempts that have no local output
   */
  void want(PartitionProgress progress, Consumer<MissingBlocks> missing) {
    ExpectedAttempts expected = progress.expected();
    int count = 0;
    for (int place = 0; place < expected.count(); place++) {
      if (progress.received().isWhole(place)) {
        continue;
      }
      if (mayHave(expected.attempt(place))) {
        Piece piece =
            new Piece(progress.partition(), expected.attempt(place), expected.mapIndex(place));
        wanted.add(piece);
        outstanding.put(piece, progress);
        count++;
      } else {
        missing.accept(progress.missing(place));
      }
    }
    leftOfPartition.put(progress.partition(), count);
  }

  /** Sends what is wanted on its way. */
  void request() {
    if (!wanted.isEmpty()) {
      output.request(List.copyOf(wanted));
      wanted.clear();
    }
  }

  boolean hasOutstanding() {
    return !outstanding.isEmpty();
  }

  List<Piece> outstanding() {
    return List.copyOf(outstanding.keySet());
  }

  /** The partition that waits for a piece, or null. */
  PartitionProgress progressOf(Piece piece) {
    return outstanding.get(piece);
  }

  /** A piece has been answered and taken; whether it was the last of its partition. */
  boolean end(Piece piece) {
    outstanding.remove(piece);
    return leftOfPartition.merge(piece.partition(), -1, Integer::sum) == 0;
  }
}
