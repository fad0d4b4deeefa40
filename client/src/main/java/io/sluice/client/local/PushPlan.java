package io.sluice.client.local;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;

/**
 * In which pieces, and in which order, the file of an output is pushed. A piece holds partitions of
 * one set, as many as fit into a frame; where those lie side by side in the file they are read at
 * once. The order of the pieces is random, so that map tasks that end together do not all begin
 * with the same server. Partitions above a limit are left out: reading them from the file is as
 * good, for they are large enough to be read in one go.
 *
 * @param skippedBytes of partitions that were left out
 */
record PushPlan(List<Piece> pieces, long skippedBytes) {
  /**
   * Bytes that go to one set: one frame, or the frames of one partition larger than that.
   *
   * @param stretches in the file, ascending
   */
  record Piece(int set, List<Stretch> stretches) {
    long length() {
      return stretches.stream().mapToLong(Stretch::length).sum();
    }
  }

  /** Bytes side by side in the file, from block to block. */
  record Stretch(long offset, long length) {}

  /**
   * @param lengths bytes of every partition, in the order of the file
   * @param setOf the set of a partition, from 0 to {@code sets - 1}
   * @param frameBytes most bytes of a frame
   * @param skipAbove larger partitions are left out
   */
  static PushPlan of(
      long[] lengths,
      int sets,
      IntUnaryOperator setOf,
      int frameBytes,
      long skipAbove,
      RandomGenerator random) {
    Open[] open = new Open[sets];
    Arrays.setAll(open, Open::new);
    List<Piece> pieces = new ArrayList<>();
    long skipped = 0;
    long offset = 0;
    for (int partition = 0; partition < lengths.length; partition++) {
      long length = lengths[partition];
      if (length > skipAbove) {
        skipped += length;
      } else if (length > 0) {
        Open of = open[setOf.applyAsInt(partition)];
        if (of.length + length > frameBytes) {
          of.end(pieces);
        }
        of.add(offset, length);
      }
      offset += length;
    }
    for (Open of : open) {
      of.end(pieces);
    }
    shuffle(pieces, random);
    return new PushPlan(pieces, skipped);
  }

  private static void shuffle(List<Piece> pieces, RandomGenerator random) {
    for (int i = pieces.size() - 1; i > 0; i--) {
      Collections.swap(pieces, i, random.nextInt(i + 1));
    }
  }

  /** The piece of a set that is being put together. */
  private static final class Open {
    private final int set;
    private List<Stretch> stretches = new ArrayList<>();
    private long length;

    Open(int set) {
      this.set = set;
    }

    void add(long offset, long bytes) {
      int last = stretches.size() - 1;
      if (last >= 0 && stretches.get(last).offset + stretches.get(last).length == offset) {
        Stretch before = stretches.get(last);
        stretches.set(last, new Stretch(before.offset, before.length + bytes));
      } else {
        stretches.add(new Stretch(offset, bytes));
      }
      length += bytes;
    }

    void end(List<Piece> pieces) {
      if (length > 0) {
        pieces.add(new Piece(set, stretches));
        stretches = new ArrayList<>();
        length = 0;
      }
    }
  }
}
