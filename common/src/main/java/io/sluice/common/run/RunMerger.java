package io.sluice.common.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Merges consecutive runs of a shuffle into one run with the same blocks: for each partition the
 * blocks of the first input, then those of the second input, and so on.
 *
 * <p>Every input is read sequentially once, through its share (window) of a fixed memory. Extents
 * at least as large as a window are copied from file to file by the kernel. Blocks are copied
 * without being parsed. Block lists are verified by their checksums and copied; slice marks are
 * joined. Besides the buffers, the index of every input and of the output is kept in memory.
 *
 * <p>Not thread-safe; for one merge only. After an exception the output is invalid.
 */
public final class RunMerger {
  /** Maximum number of bytes that the kernel copies between two checkpoints. */
  private static final long KERNEL_COPY_BYTES = 8 << 20;

  /** Result of a merge. */
  public static final class Merged {
    private final long[] fileOffsets;
    private final long length;
    private final long bytesRead;

    Merged(long[] fileOffsets, long length, long bytesRead) {
      this.fileOffsets = fileOffsets;
      this.length = length;
      this.bytesRead = bytesRead;
    }

    /** Offset of each part in the file; not a copy. */
    public long[] fileOffsets() {
      return fileOffsets;
    }

    /** Length of the file. */
    public long length() {
      return length;
    }

    /** Bytes read from the inputs. */
    public long bytesRead() {
      return bytesRead;
    }
  }

  /** Called by the merging thread between two steps, for throttling and cancellation. */
  public interface Checkpoint {
    /**
     * May block; an exception aborts the merge.
     *
     * @param bytes bytes copied since the previous call
     */
    void passed(long bytes) throws IOException;
  }

  private final List<RunInput> inputs = new ArrayList<>();
  private final FileChannel file;
  private final RunOutput out;
  private final Checkpoint checkpoint;
  private final long kernelCopyFrom;
  private long passed;

  /**
   * @param runs borrowed; the inputs in order, at least one
   * @param memory borrowed; divided evenly among the inputs
   * @param kernelCopyFromBytes minimum length of extents that the kernel copies, unless a window of
   *     the memory is larger
   * @param output an empty file; stays open
   */
  public RunMerger(
      List<RunReader> runs,
      ByteBuffer memory,
      long kernelCopyFromBytes,
      FileChannel output,
      Checkpoint checkpoint) {
    int windowBytes = memory.capacity() / runs.size();
    if (windowBytes < 1) {
      throw new IllegalArgumentException(
          memory.capacity() + " bytes of memory for " + runs.size() + " runs");
    }
    for (int i = 0; i < runs.size(); i++) {
      inputs.add(new RunInput(i, runs.get(i), memory.slice(i * windowBytes, windowBytes)));
    }
    this.kernelCopyFrom = Math.max(kernelCopyFromBytes, windowBytes);
    this.file = output;
    this.out = new RunOutput(output);
    this.checkpoint = checkpoint;
  }

  /** Ids of the runs that a merge replaces: the inputs, and the runs that the inputs replaced. */
  public static List<RunId> replacedBy(List<RunReader> runs) {
    List<RunId> replaced = new ArrayList<>();
    for (RunReader run : runs) {
      replaced.add(run.header().runId());
      replaced.addAll(run.replaced());
    }
    return replaced;
  }

  /**
   * Writes the output.
   *
   * @param plan must contain every extent of every input once
   * @param replaced see {@link #replacedBy}
   * @throws MergeInputException if an input cannot be read or is damaged
   * @throws IOException if the output cannot be written, or the checkpoint aborted the merge
   */
  public Merged merge(RunHeader header, RunMergePlan plan, List<RunId> replaced)
      throws IOException {
    RunFooter.checkReplaced(replaced);
    checkCovers(plan);
    out.add(RunFormat.encode(header));
    long[] offsets = new long[plan.partCount()];
    for (int part = 0; part < offsets.length; part++) {
      offsets[part] = out.position();
      for (int piece = plan.firstPiece(part); piece < plan.firstPiece(part + 1); piece++) {
        RunInput input = inputs.get(plan.input(piece));
        copyBlocks(input, input.next());
      }
    }
    long blockListsOffset = out.position();
    inputs.forEach(RunInput::rewind);
    List<RunExtent> merged = new ArrayList<>(offsets.length);
    for (int part = 0; part < offsets.length; part++) {
      merged.add(joinLists(plan, part, offsets[part]));
    }
    out.flush();
    pass();
    long length = RunFooter.write(out, header, replaced, blockListsOffset, merged);
    long bytesRead = 0;
    for (RunInput input : inputs) {
      bytesRead += input.bytesRead();
    }
    return new Merged(offsets, length, bytesRead);
  }

  /** Refuses a plan that does not match the indexes of the inputs. */
  private void checkCovers(RunMergePlan plan) {
    int lastPartition = -1;
    for (int part = 0; part < plan.partCount(); part++) {
      int partition = plan.partition(part);
      if (partition <= lastPartition || plan.firstPiece(part) >= plan.firstPiece(part + 1)) {
        throw new IllegalArgumentException(
            "plan has partition " + partition + " after " + lastPartition + ", or no piece for it");
      }
      lastPartition = partition;
      int lastInput = -1;
      for (int piece = plan.firstPiece(part); piece < plan.firstPiece(part + 1); piece++) {
        RunExtent extent = inputs.get(plan.input(piece)).next();
        if (plan.input(piece) <= lastInput
            || extent == null
            || extent.partition() != partition
            || extent.fileOffset() != plan.fileOffset(piece)
            || extent.length() != plan.pieceLength(piece)) {
          throw new IllegalArgumentException(
              String.format(
                  "partition %d: plan has %d bytes at offset %d of input %d after input %d, but the"
                      + " input's index has %s",
                  partition,
                  plan.pieceLength(piece),
                  plan.fileOffset(piece),
                  plan.input(piece),
                  lastInput,
                  extent));
        }
        lastInput = plan.input(piece);
      }
    }
    for (RunInput input : inputs) {
      RunExtent left = input.next();
      if (left != null) {
        throw new IllegalArgumentException(
            "run "
                + input.run().header().runId()
                + " has an extent that is not in the plan: "
                + left);
      }
      input.rewind();
    }
  }

  private void copyBlocks(RunInput input, RunExtent extent) throws IOException {
    long offset = extent.fileOffset();
    long end = extent.fileEnd();
    if (extent.length() >= kernelCopyFrom) {
      out.flush();
      boolean copies = true;
      while (copies && offset < end) {
        long wanted = Math.min(end - offset, KERNEL_COPY_BYTES);
        long copied = input.copyInKernel(offset, wanted, file);
        out.skip(copied);
        offset += copied;
        passed += copied;
        pass();
        copies = copied == wanted;
      }
    }
    while (offset < end) {
      ByteBuffer bytes = bytes(input, offset, end, input.readAheadEnd(offset, kernelCopyFrom));
      offset += bytes.remaining();
      out.add(bytes);
    }
  }

  /** At least one byte of {@code offset..end}, read into the window if necessary. */
  private ByteBuffer bytes(RunInput input, long offset, long end, long readAheadEnd)
      throws IOException {
    int available = input.available(offset, end - offset);
    if (available == 0) {
      // Pending output may be in the window.
      out.flush();
      pass();
      input.fill(offset, readAheadEnd);
      available = input.available(offset, end - offset);
    }
    passed += available;
    return input.slice(offset, available);
  }

  private RunExtent joinLists(RunMergePlan plan, int part, long fileOffset) throws IOException {
    long listOffset = out.position();
    CRC32C crc = new CRC32C();
    MergedMarks marks = new MergedMarks(plan.logicalStart(part));
    long length = 0;
    int blockCount = 0;
    int minMapIndex = Integer.MAX_VALUE;
    int maxMapIndex = 0;
    for (int piece = plan.firstPiece(part); piece < plan.firstPiece(part + 1); piece++) {
      RunInput input = inputs.get(plan.input(piece));
      RunExtent extent = input.next();
      copyBlockList(input, extent, crc);
      extent.marks().forEach(marks::add);
      length += extent.length();
      blockCount = Math.addExact(blockCount, extent.blockCount());
      minMapIndex = Math.min(minMapIndex, extent.minMapIndex());
      maxMapIndex = Math.max(maxMapIndex, extent.maxMapIndex());
    }
    return new RunExtent(
        plan.partition(part),
        fileOffset,
        length,
        plan.logicalStart(part),
        minMapIndex,
        maxMapIndex,
        blockCount,
        listOffset,
        (int) crc.getValue(),
        marks.finish());
  }

  private void copyBlockList(RunInput input, RunExtent extent, CRC32C joined) throws IOException {
    CRC32C crc = new CRC32C();
    long offset = extent.blockListOffset();
    long end = offset + (long) extent.blockCount() * RunFormat.BLOCK_ENTRY_LENGTH;
    while (offset < end) {
      ByteBuffer bytes = bytes(input, offset, end, input.run().indexOffset());
      crc.update(bytes.duplicate());
      joined.update(bytes.duplicate());
      offset += bytes.remaining();
      out.add(bytes);
    }
    if ((int) crc.getValue() != extent.blockListCrc32c()) {
      throw input.failed(input.run().badBlockList(extent, (int) crc.getValue()));
    }
  }

  private void pass() throws IOException {
    long bytes = passed;
    passed = 0;
    checkpoint.passed(bytes);
  }
}
