package io.sluice.client.read;

import io.sluice.client.read.LocalOutput.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The pieces of local output that a read needs and that are not answered yet. Owned by one thread.
 *
 * <p>Pieces are requested in groups, at the latest when the task has to wait, so that one request
 * covers many partitions. They are fetched while servers are still read. The read takes the answers
 * after all servers are done, because one thread cannot wait for both.
 */
final class LocalPieces {
  private final LocalOutput output;
  private final List<Piece> unrequested = new ArrayList<>();
  private final Map<Piece, PartitionProgress> outstanding = new HashMap<>();
  private final Map<Integer, Integer> leftOfPartition = new HashMap<>();

  /**
   * @param output owned by the read; null for none
   */
  LocalPieces(LocalOutput output) {
    this.output = output;
  }

  boolean mayHave(long mapAttempt) {
    return output != null && output.mayHave(mapAttempt);
  }

  /**
   * All servers of a partition were visited: adds its incomplete attempts.
   *
   * @param missing receives the attempts without local output
   */
  void addIncomplete(PartitionProgress progress, Consumer<MissingBlocks> missing) {
    ExpectedAttempts expected = progress.expected();
    int count = 0;
    for (int attemptIndex = 0; attemptIndex < expected.count(); attemptIndex++) {
      if (progress.received().isWhole(attemptIndex)) {
        continue;
      }
      if (mayHave(expected.attempt(attemptIndex))) {
        Piece piece =
            new Piece(
                progress.partition(),
                expected.attempt(attemptIndex),
                expected.mapIndex(attemptIndex));
        unrequested.add(piece);
        outstanding.put(piece, progress);
        count++;
      } else {
        missing.accept(progress.missing(attemptIndex));
      }
    }
    leftOfPartition.put(progress.partition(), count);
  }

  /** Requests all pieces that were added. */
  void request() {
    if (!unrequested.isEmpty()) {
      output.request(List.copyOf(unrequested));
      unrequested.clear();
    }
  }

  boolean hasOutstanding() {
    return !outstanding.isEmpty();
  }

  List<Piece> outstanding() {
    return List.copyOf(outstanding.keySet());
  }

  /** The partition that waits for a piece; null if none does. */
  PartitionProgress progressOf(Piece piece) {
    return outstanding.get(piece);
  }

  /**
   * Records that a piece is answered and parsed; returns whether it was the last of its partition.
   */
  boolean end(Piece piece) {
    outstanding.remove(piece);
    return leftOfPartition.merge(piece.partition(), -1, Integer::sum) == 0;
  }
}
