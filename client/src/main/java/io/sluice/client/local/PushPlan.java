package io.sluice.client.local;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * Pieces in which the file of an output is pushed, in their order. A piece has partitions of one
 * set of servers that fit into one frame. The order is random, so that map tasks that end together
 * do not all begin with the same server. Partitions above a maximum size are not pushed, because
 * reading them from the file is as efficient.
 *
 * @param skippedBytes bytes of partitions that are not pushed
 */
record PushPlan(List<Piece> pieces, long skippedBytes) {
  /**
   * Bytes for one set of servers: one frame, or all frames of one larger partition.
   *
   * @param ranges ranges of the file, ascending
   */
  record Piece(int set, List<FileRange> ranges) {
    long length() {
      return ranges.stream().mapToLong(FileRange::length).sum();
    }
  }

  /** A contiguous range of the file with whole blocks. */
  record FileRange(long offset, long length) {}

  /**
   * @param lengths number of bytes of every partition, in the order of the file
   * @param setOf returns the set of a partition, from 0 to {@code sets - 1}
   * @param frameBytes maximum bytes of a frame
   * @param skipAbove maximum bytes of a pushed partition
   */
  static PushPlan of(
      long[] lengths,
      int sets,
      IntUnaryOperator setOf,
      int frameBytes,
      long skipAbove,
      SplittableRandom random) {
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

  private static void shuffle(List<Piece> pieces, SplittableRandom random) {
    for (int i = pieces.size() - 1; i > 0; i--) {
      Collections.swap(pieces, i, random.nextInt(i + 1));
    }
  }

  /** The incomplete piece of a set. */
  private static final class Open {
    private final int set;
    private List<FileRange> ranges = new ArrayList<>();
    private long length;

    Open(int set) {
      this.set = set;
    }

    void add(long offset, long bytes) {
      int last = ranges.size() - 1;
      if (last >= 0 && ranges.get(last).offset + ranges.get(last).length == offset) {
        FileRange before = ranges.get(last);
        ranges.set(last, new FileRange(before.offset, before.length + bytes));
      } else {
        ranges.add(new FileRange(offset, bytes));
      }
      length += bytes;
    }

    void end(List<Piece> pieces) {
      if (length > 0) {
        pieces.add(new Piece(set, ranges));
        ranges = new ArrayList<>();
        length = 0;
      }
    }
  }
}
