package io.sluice.common.run;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes one run sequentially, with gathering writes directly from the buffers of the blocks. Its
 * memory is bounded by the number of extents, not of blocks: it keeps the block list entries of the
 * first blocks only, and reads the headers of the others a second time.
 *
 * <p>Not thread-safe. Borrows every buffer until {@link #finish} returns. After an exception the
 * file is invalid and the writer must not be used again.
 */
public final class RunWriter {
  private static final int FOOTER_BUFFER_BLOCKS = 2048;

  /**
   * Maximum number of blocks whose entries are kept, in at most 1.5 MiB. A second read of a header
   * costs an access to memory that is no longer in the caches.
   */
  private static final int MAX_KEPT_BLOCKS = 1 << 15;

  private final RunOutput out;
  private final RunHeader header;
  private final List<RunId> replaced;
  private final List<RunExtent> extents = new ArrayList<>();
  private final List<BlockListSource> blockLists = new ArrayList<>();
  private int keptBlocks;
  private int lastPartition = -1;

  /**
   * @param channel an empty file; stays open
   */
  public RunWriter(GatheringByteChannel channel, RunHeader header) throws IOException {
    this(channel, header, List.of());
  }

  /**
   * @param channel an empty file; stays open
   * @param replaced runs that this run replaces, because it contains their blocks
   */
  public RunWriter(GatheringByteChannel channel, RunHeader header, List<RunId> replaced)
      throws IOException {
    RunFooter.checkReplaced(replaced);
    this.out = new RunOutput(channel);
    this.header = header;
    this.replaced = List.copyOf(replaced);
    out.add(RunFormat.encode(header));
  }

  /**
   * Writes the blocks of one partition. Partitions are written in ascending order.
   *
   * @param logicalStart logical offset of the first block
   * @param buffers the blocks in order; each buffer has complete blocks between reader and writer
   *     index, at least one
   * @return offset of the first block in the file
   */
  public long writePartition(int partition, long logicalStart, List<ByteBuf> buffers)
      throws IOException {
    if (partition <= lastPartition) {
      throw new IllegalArgumentException(
          "partition " + partition + " after " + lastPartition + ", expected ascending order");
    }
    lastPartition = partition;
    long start = out.position();
    ExtentSummary summary = new ExtentSummary(logicalStart);
    BlockListSource blockList = new BlockListSource(List.copyOf(buffers));
    BlockSink both =
        block -> {
          summary.add(block);
          blockList.keep(block);
        };
    for (ByteBuf buffer : buffers) {
      forEachBlock(buffer, both);
      out.add(buffer);
    }
    if (summary.blockCount == 0) {
      throw new IllegalArgumentException("partition " + partition + " has no blocks");
    }
    extents.add(summary.extent(partition, start, out.position() - start));
    blockLists.add(blockList);
    return start;
  }

  /**
   * Writes block lists, index and trailer.
   *
   * @return length of the file
   */
  public long finish() throws IOException {
    if (extents.isEmpty()) {
      throw new IllegalStateException("a run must have at least one block");
    }
    long blockListsOffset = out.position();
    for (int i = 0; i < extents.size(); i++) {
      extents.set(i, writeBlockList(extents.get(i), blockLists.get(i)));
    }
    return RunFooter.write(out, header, replaced, blockListsOffset, extents);
  }

  private RunExtent writeBlockList(RunExtent extent, BlockListSource source) throws IOException {
    long start = out.position();
    CRC32C crc = new CRC32C();
    if (source.entries != null) {
      write(source.entries, crc);
    } else {
      BlockListWriter list = new BlockListWriter(extent.blockCount(), crc);
      for (ByteBuf buffer : source.buffers) {
        forEachBlock(buffer, list::add);
      }
      list.flush();
    }
    return extent.withBlockList(start, (int) crc.getValue());
  }

  private void write(ByteBuffer entries, CRC32C crc) throws IOException {
    entries.flip();
    crc.update(entries.duplicate());
    out.add(entries);
  }

  private static ByteBuffer newEntries(int blocks) {
    return ByteBuffer.allocate(blocks * RunFormat.BLOCK_ENTRY_LENGTH)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void forEachBlock(ByteBuf buffer, BlockSink sink) throws IOException {
    int end = buffer.writerIndex();
    for (int index = buffer.readerIndex(); index < end; ) {
      BlockHeader block;
      try {
        block = BlockHeader.read(buffer, index, end);
      } catch (BlockFormatException e) {
        throw new IllegalArgumentException("the buffer does not consist of complete blocks", e);
      }
      sink.add(block);
      index += block.blockLength();
    }
  }

  private interface BlockSink {
    void add(BlockHeader block) throws IOException;
  }

  /** Collects the index entry of one partition. */
  private static final class ExtentSummary {
    private final long logicalStart;
    private final List<RunMark> marks = new ArrayList<>(1);
    private int blockCount;
    private int minMapIndex = Integer.MAX_VALUE;
    private int maxMapIndex;
    private long markStart;
    private long end;
    private int markMin = Integer.MAX_VALUE;
    private int markMax;

    ExtentSummary(long logicalStart) {
      this.logicalStart = logicalStart;
      this.markStart = logicalStart;
      this.end = logicalStart;
    }

    void add(BlockHeader block) {
      blockCount++;
      end += block.blockLength();
      markMin = Math.min(markMin, block.mapIndex());
      markMax = Math.max(markMax, block.mapIndex());
      if (end - markStart >= RunFormat.MARK_BYTES) {
        closeMark();
      }
    }

    RunExtent extent(int partition, long fileOffset, long length) {
      if (end > markStart) {
        closeMark();
      }
      return new RunExtent(
          partition,
          fileOffset,
          length,
          logicalStart,
          minMapIndex,
          maxMapIndex,
          blockCount,
          0,
          0,
          marks);
    }

    private void closeMark() {
      marks.add(new RunMark(markStart, end - markStart, markMin, markMax));
      minMapIndex = Math.min(minMapIndex, markMin);
      maxMapIndex = Math.max(maxMapIndex, markMax);
      markStart = end;
      markMin = Integer.MAX_VALUE;
      markMax = 0;
    }
  }

  /** What the block list of one partition is written from: entries, or else buffers. */
  private final class BlockListSource {
    private final List<ByteBuf> buffers;

    /** Null if not all entries of the partition are kept. */
    private ByteBuffer entries;

    BlockListSource(List<ByteBuf> buffers) {
      this.buffers = buffers;
      // Each buffer has at least one block.
      this.entries = newEntries(Math.min(buffers.size(), MAX_KEPT_BLOCKS - keptBlocks));
    }

    void keep(BlockHeader block) {
      if (entries == null) {
        return;
      }
      if (keptBlocks == MAX_KEPT_BLOCKS) {
        entries = null;
        return;
      }
      if (!entries.hasRemaining()) {
        ByteBuffer full = entries.flip();
        entries = newEntries(2 * full.limit() / RunFormat.BLOCK_ENTRY_LENGTH).put(full);
      }
      RunFormat.encode(entries, RunBlock.of(block));
      keptBlocks++;
    }
  }

  /** Writes the block list of one partition through small buffers. */
  private final class BlockListWriter {
    private final CRC32C crc;
    private int blocksLeft;
    private ByteBuffer entries;

    BlockListWriter(int blockCount, CRC32C crc) {
      this.crc = crc;
      blocksLeft = blockCount;
      entries = nextEntries();
    }

    void add(BlockHeader block) throws IOException {
      if (!entries.hasRemaining()) {
        flush();
        entries = nextEntries();
      }
      blocksLeft--;
      RunFormat.encode(entries, RunBlock.of(block));
    }

    void flush() throws IOException {
      write(entries, crc);
    }

    private ByteBuffer nextEntries() {
      return newEntries(Math.min(blocksLeft, FOOTER_BUFFER_BLOCKS));
    }
  }
}
