package io.sluice.common.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Joins neighbouring runs of a shuffle into one that holds the same bytes: of each partition what
 * the first has, then what the second has, and so on.
 *
 * <p>Every input is read once from front to back, through its share of a fixed memory; extents that
 * are as large as such a share are copied from file to file by the kernel. Blocks are not looked
 * at. Their lists are carried over, checked against their checksums; slice marks are joined. Beside
 * the buffers it holds the index of every input and of the output.
 *
 * <p>Not thread-safe, used once. After an exception the output is useless.
 */
public final class RunMerger {
  /** Most bytes that the kernel copies between two checkpoints. */
  private static final long KERNEL_COPY_BYTES = 8 << 20;

  /** The output. */
  public static final class Merged {
    private final long[] fileOffsets;
    private final long length;
    private final long bytesRead;

    Merged(long[] fileOffsets, long length, long bytesRead) {
      this.fileOffsets = fileOffsets;
      this.length = length;
      this.bytesRead = bytesRead;
    }

    /** Where each part begins; not a copy. */
    public long[] fileOffsets() {
      return fileOffsets;
    }

    /** Bytes of the file. */
    public long length() {
      return length;
    }

    /** Bytes read from the inputs. */
    public long bytesRead() {
      return bytesRead;
    }
  }

  /** Is called between two pieces of work, by the thread that merges. */
  public interface Checkpoint {
    /**
     * May wait; an exception ends the merge.
     *
     * @param bytes copied since the last time
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
   * @param runs borrows: in their order, at least one
   * @param memory borrows: divided evenly among the inputs
   * @param kernelCopyFromBytes extents of so many bytes are copied by the kernel, unless a window
   *     of the memory is larger
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

  /** The runs that the merge of some replaces: they, and those that they replaced. */
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
   * @param plan every extent of every input, once
   * @param replaced see {@link #replacedBy}
   * @throws MergeInputException if an input cannot be read or is damaged
   * @throws IOException if the output cannot be written, or the checkpoint ended the merge
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

  /** The plan and the indexes of the inputs say the same, or the merge is refused. */
  private void checkCovers(RunMergePlan plan) {
    int lastPartition = -1;
    for (int part = 0; part < plan.partCount(); part++) {
      int partition = plan.partition(part);
      if (partition <= lastPartition || plan.firstPiece(part) >= plan.firstPiece(part + 1)) {
        throw new IllegalArgumentException(
            "a part of partition " + partition + " after " + lastPartition);
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
                  "partition %d: expected %d bytes from %d in run %d after run %d, it has %s",
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
            "run " + input.run().header().runId() + " has more than is asked for: " + left);
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

  /** Some bytes of {@code offset..end} at least, brought into the window if need be. */
  private ByteBuffer bytes(RunInput input, long offset, long end, long readAheadEnd)
      throws IOException {
    int available = input.available(offset, end - offset);
    if (available == 0) {
      // What is still to be written may lie in the window.
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
