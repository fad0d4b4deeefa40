package io.sluice.common.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Layout of a merge: the parts of the output, one per partition, and the pieces of the inputs that
 * form each part. Parts and pieces are numbered from 0; the pieces of a part are consecutive.
 */
public interface RunMergePlan {
  int partCount();

  /** Ascending from part to part. */
  int partition(int part);

  /** Logical offset of the first byte of a part. */
  long logicalStart(int part);

  /** The first piece of a part; for {@link #partCount}, the number of pieces. */
  int firstPiece(int part);

  /** Number of the input that contains a piece, from 0, ascending within a part. */
  int input(int piece);

  /** Offset of a piece in its input file. */
  long fileOffset(int piece);

  /** Bytes of a piece. */
  long pieceLength(int piece);

  /**
   * The plan that merges complete runs, from their footers.
   *
   * @param runs inputs, in order
   */
  static RunMergePlan ofWhole(List<RunReader> runs) {
    record Piece(int input, RunExtent extent) {}
    Map<Integer, List<Piece>> byPartition = new TreeMap<>();
    for (int i = 0; i < runs.size(); i++) {
      for (RunExtent extent : runs.get(i).extents()) {
        byPartition
            .computeIfAbsent(extent.partition(), unused -> new ArrayList<>())
            .add(new Piece(i, extent));
      }
    }
    List<Piece> pieces = new ArrayList<>();
    int[] partitions = byPartition.keySet().stream().mapToInt(Integer::intValue).toArray();
    int[] firsts = new int[partitions.length + 1];
    for (int i = 0; i < partitions.length; i++) {
      firsts[i] = pieces.size();
      pieces.addAll(byPartition.get(partitions[i]));
    }
    firsts[partitions.length] = pieces.size();
    return new RunMergePlan() {
      @Override
      public int partCount() {
        return partitions.length;
      }

      @Override
      public int partition(int part) {
        return partitions[part];
      }

      @Override
      public long logicalStart(int part) {
        return pieces.get(firsts[part]).extent().logicalStart();
      }

      @Override
      public int firstPiece(int part) {
        return firsts[part];
      }

      @Override
      public int input(int piece) {
        return pieces.get(piece).input();
      }

      @Override
      public long fileOffset(int piece) {
        return pieces.get(piece).extent().fileOffset();
      }

      @Override
      public long pieceLength(int piece) {
        return pieces.get(piece).extent().length();
      }
    };
  }
}
