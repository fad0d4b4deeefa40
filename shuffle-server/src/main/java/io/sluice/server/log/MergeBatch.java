package io.sluice.server.log;

import io.sluice.common.run.RunMergePlan;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Consecutive runs of one shuffle to merge, with the location of each partition's bytes in them.
 * Owns a reader's reference to each run until {@link ShuffleLog#completeMerge} or {@link
 * ShuffleLog#abortMerge} ends it. Used by one thread.
 *
 * <p>Uses about 20 bytes of heap per piece, that is per partition and run.
 */
public final class MergeBatch implements RunMergePlan {
  private final ShuffleLog log;
  private final List<StoredRun> inputs;
  private final RunOrder order;
  private final long bytes;
  // By part, ascending by partition.
  private final int[] partitions;
  private final long[] logicalStarts;
  private final int[] firstPieces;
  // By piece.
  private final int[] pieceInputs;
  private final long[] pieceOffsets;
  private final long[] pieceLengths;

  private MergeBatch(Builder from) {
    this.log = from.log;
    this.inputs = from.inputs;
    this.order = from.order;
    this.bytes = from.bytes;
    this.partitions = Arrays.copyOf(from.partitions, from.partCount);
    this.logicalStarts = Arrays.copyOf(from.logicalStarts, from.partCount);
    this.firstPieces = Arrays.copyOf(from.firstPieces, from.partCount + 1);
    this.firstPieces[from.partCount] = from.pieceCount;
    this.pieceInputs = Arrays.copyOf(from.pieceInputs, from.pieceCount);
    this.pieceOffsets = Arrays.copyOf(from.pieceOffsets, from.pieceCount);
    this.pieceLengths = Arrays.copyOf(from.pieceLengths, from.pieceCount);
  }

  public ShuffleLog log() {
    return log;
  }

  /** Runs to merge, in the order of their blocks. */
  public List<StoredRun> inputs() {
    return inputs;
  }

  /** Order of the first input, which becomes the order of the merged run. */
  public RunOrder order() {
    return order;
  }

  /** Bytes of blocks. */
  public long bytes() {
    return bytes;
  }

  /** Number of partitions with blocks in any input. */
  @Override
  public int partCount() {
    return partitions.length;
  }

  public int pieceCount() {
    return pieceInputs.length;
  }

  @Override
  public int partition(int part) {
    return partitions[part];
  }

  /** Logical offset of the partition's first byte in the inputs. */
  @Override
  public long logicalStart(int part) {
    return logicalStarts[part];
  }

  public long length(int part) {
    long length = 0;
    for (int piece = firstPiece(part); piece < firstPiece(part + 1); piece++) {
      length += pieceLengths[piece];
    }
    return length;
  }

  /** The first piece of a part; its last is the one before the first of the next part. */
  @Override
  public int firstPiece(int part) {
    return firstPieces[part];
  }

  /** Index of a piece's run in {@link #inputs}. */
  @Override
  public int input(int piece) {
    return pieceInputs[piece];
  }

  /** Offset of a piece in its input's file. */
  @Override
  public long fileOffset(int piece) {
    return pieceOffsets[piece];
  }

  @Override
  public long pieceLength(int piece) {
    return pieceLengths[piece];
  }

  void releaseInputs() {
    inputs.forEach(StoredRun::release);
  }

  /** Collects parts, by ascending partition. */
  static final class Builder {
    private final ShuffleLog log;
    private final List<StoredRun> inputs;
    private final RunOrder order;
    private long bytes;
    private int partCount;
    private int[] partitions = new int[64];
    private long[] logicalStarts = new long[64];
    private int[] firstPieces = new int[65];
    private int pieceCount;
    private int[] pieceInputs = new int[64];
    private long[] pieceOffsets = new long[64];
    private long[] pieceLengths = new long[64];
    private int nextInput;

    Builder(ShuffleLog log, List<StoredRun> inputs, RunOrder order) {
      this.log = log;
      this.inputs = new ArrayList<>(inputs);
      this.order = order;
    }

    /** Adds an extent if it is in one of the inputs. Extents of a partition are added in order. */
    void add(PartitionLog partition, Extent.InFile extent) {
      boolean sameAsLast = partCount > 0 && partitions[partCount - 1] == partition.index;
      int from = sameAsLast ? nextInput : 0;
      for (int input = from; input < inputs.size(); input++) {
        if (inputs.get(input) == extent.run) {
          if (!sameAsLast) {
            beginPart(partition.index, extent.start);
          }
          addPiece(input, extent.fileOffset, extent.length);
          nextInput = input + 1;
          return;
        }
      }
    }

    MergeBatch build() {
      return new MergeBatch(this);
    }

    private void beginPart(int partition, long logicalStart) {
      if (partCount == partitions.length) {
        partitions = Arrays.copyOf(partitions, partCount * 2);
        logicalStarts = Arrays.copyOf(logicalStarts, partCount * 2);
        firstPieces = Arrays.copyOf(firstPieces, partCount * 2 + 1);
      }
      partitions[partCount] = partition;
      logicalStarts[partCount] = logicalStart;
      firstPieces[partCount] = pieceCount;
      partCount++;
    }

    private void addPiece(int input, long fileOffset, long length) {
      if (pieceCount == pieceInputs.length) {
        pieceInputs = Arrays.copyOf(pieceInputs, pieceCount * 2);
        pieceOffsets = Arrays.copyOf(pieceOffsets, pieceCount * 2);
        pieceLengths = Arrays.copyOf(pieceLengths, pieceCount * 2);
      }
      pieceInputs[pieceCount] = input;
      pieceOffsets[pieceCount] = fileOffset;
      pieceLengths[pieceCount] = length;
      pieceCount++;
      bytes += length;
    }
  }
}
