package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BatchChecksum;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns batches of records into blocks, and blocks into frames. Each set of servers has at most one
 * open frame. Payloads are written directly into the frame. They are sealed when the frame is
 * flushed, because only then the last block of each partition is known. Owned by one thread; does
 * no I/O.
 *
 * <p>A batch larger than a frame is split: every block of it but the last has the CONTINUED flag.
 *
 * <p>Invariants of a frame: blocks of one partition are adjacent; partitions ascend, except for the
 * end marks that {@link #finish} appends.
 */
final class BlockFramer {
  private static final int FIRST_CAPACITY = 64 << 10;

  /** Maximum memory of all open frames, in full frames, for any number of servers. */
  private static final int MAX_OPEN_FULL_FRAMES = 4;

  /** Receives flushed frames. */
  interface Sink {
    /**
     * @param set number of the set of servers
     * @param body takes: whole sealed blocks
     */
    void accept(int set, ByteBuf body) throws IOException;
  }

  private FrameSets sets;
  private final MapAttempt attempt;
  private final BlockPayloads payloads;
  private final BlockSizes sizes;
  private final ByteBufAllocator allocator;
  private final int frameBytes;
  private final int maxPieceBytes;
  private final Sink sink;
  private final PushedPartitions partitions;
  private final BatchChecksum checksum = new BatchChecksum();
  private OpenFrame[] open;
  private boolean finalPass;
  private int finalPartition = -1;
  private int currentSet = -1;
  private long openBytes;
  private long uncompressedBytes;
  private long blockBytes;
  private long blocks;
  private long records;

  private static final class OpenFrame {
    private final ByteBuf body;
    private final List<BlockHeader> headers = new ArrayList<>();
    private int lastPartition = -1;

    OpenFrame(ByteBuf body) {
      this.body = body;
    }
  }

  /**
   * @param payloads takes
   * @param sizes how {@link #partitionLengths} are counted
   * @param frameBytes maximum bytes of a frame
   */
  BlockFramer(
      FrameSets sets,
      int partitionCount,
      MapAttempt attempt,
      BlockPayloads payloads,
      BlockSizes sizes,
      ByteBufAllocator allocator,
      int frameBytes,
      Sink sink) {
    this.sets = sets;
    this.attempt = attempt;
    this.payloads = payloads;
    this.sizes = sizes;
    this.allocator = allocator;
    this.frameBytes = frameBytes;
    this.maxPieceBytes = maxPieceBytes();
    this.sink = sink;
    this.partitions = new PushedPartitions(partitionCount);
    this.open = new OpenFrame[sets.count()];
  }

  private int maxPieceBytes() {
    int piece = frameBytes;
    int over = room(piece) - frameBytes;
    while (over > 0) {
      piece -= over;
      over = room(piece) - frameBytes;
    }
    return piece;
  }

  /** Maximum bytes of a block with {@code length} uncompressed bytes. */
  private int room(int length) {
    return BlockHeader.LENGTH + payloads.room(length);
  }

  /**
   * Adds a batch of records, as several blocks if it is large. This is one method of more than 325
   * bytes of bytecode so that HotSpot compiles it, with the encoders that it calls, once and not
   * again with each of its callers (FreqInlineSize).
   */
  void add(int partition, byte[] bytes, int offset, int length, int recordCount)
      throws IOException {
    int set = sets.setOf(partition);
    if (finalPass) {
      if (partition < finalPartition || partitions.isEnded(partition)) {
        throw new IllegalStateException(
            "partitions must ascend in the final pass: partition="
                + partition
                + " was added after partition="
                + finalPartition);
      }
      finalPartition = partition;
      if (currentSet >= 0 && currentSet != set && sets.lastPartition(currentSet) < partition) {
        flush(currentSet);
      }
    }
    currentSet = set;
    partitions.addChecksum(partition, checksum.of(bytes, offset, length, recordCount));
    int at = 0;
    while (at < length) {
      int piece = Math.min(maxPieceBytes, length - at);
      int pieceRecords = at == 0 ? recordCount : 0;
      OpenFrame frame = frameWithRoom(set, partition, room(piece));
      // A part of a batch does not consist of whole records.
      payloads.write(
          bytes,
          offset + at,
          piece,
          piece == length ? recordCount : 0,
          frame.body,
          frame.body.writerIndex() + BlockHeader.LENGTH);
      int sequence =
          partitions.addBlock(
              partition,
              sizes.of(
                  partitions.nextSequence(partition) == 0,
                  payloads.plainCodec(piece),
                  piece,
                  payloads.plainLength()),
              pieceRecords,
              piece);
      at += piece;
      addHeader(
          frame,
          new BlockHeader(
              attempt.id(),
              attempt.mapIndex(),
              partition,
              sequence,
              pieceRecords,
              piece,
              payloads.length(),
              payloads.codec(),
              payloads.encoding(),
              (at < length ? BlockHeader.FLAG_CONTINUED : 0) | payloads.flags()));
    }
    uncompressedBytes += length;
    records += recordCount;
  }

  private void addHeader(OpenFrame frame, BlockHeader header) {
    frame.headers.add(header);
    frame.lastPartition = header.partition();
    blocks++;
    blockBytes += header.blockLength();
  }

  private OpenFrame frameWithRoom(int set, int partition, int room) throws IOException {
    OpenFrame frame = open[set];
    if (frame != null
        && (frame.body.writerIndex() + room > frameBytes || partition < frame.lastPartition)) {
      flush(set);
      frame = null;
    }
    if (frame == null) {
      int capacity = Math.min(frameBytes, Math.max(FIRST_CAPACITY, room));
      frame = new OpenFrame(allocator.directBuffer(capacity, Math.max(frameBytes, room)));
      open[set] = frame;
      openBytes += frame.body.capacity();
    }
    ensureRoom(frame, room);
    while (openBytes > (long) MAX_OPEN_FULL_FRAMES * frameBytes && flushLargestExcept(set)) {
      // Each call flushes one frame.
    }
    return frame;
  }

  private void ensureRoom(OpenFrame frame, int room) {
    int before = frame.body.capacity();
    frame.body.ensureWritable(room);
    openBytes += frame.body.capacity() - before;
  }

  private boolean flushLargestExcept(int kept) throws IOException {
    int largest = -1;
    for (int set = 0; set < open.length; set++) {
      if (set != kept
          && open[set] != null
          && (largest < 0 || open[set].body.capacity() > open[largest].body.capacity())) {
        largest = set;
      }
    }
    if (largest >= 0) {
      flush(largest);
    }
    return largest >= 0;
  }

  /** Memory of the open frames, in bytes. */
  long openBytes() {
    return openBytes;
  }

  void beginFinalPass() {
    finalPass = true;
    currentSet = -1;
  }

  /** Marks the end of every partition that has blocks, and flushes all frames. */
  void finish() throws IOException {
    finalPass = true;
    finalPartition = Integer.MAX_VALUE;
    for (int set = 0; set < open.length; set++) {
      markEnds(open[set]);
    }
    for (int partition = partitions.nextOpen(0);
        partition >= 0;
        partition = partitions.nextOpen(partition + 1)) {
      addEndMark(partition);
    }
    flushAll();
  }

  /**
   * Adds an empty block with the LAST flag, for a partition whose last block was sent without it.
   */
  private void addEndMark(int partition) throws IOException {
    int set = sets.setOf(partition);
    OpenFrame frame = open[set];
    if (frame != null && frame.body.writerIndex() + BlockHeader.LENGTH > frameBytes) {
      flush(set);
      frame = null;
    }
    if (frame == null) {
      frame = frameWithRoom(set, partition, BlockHeader.LENGTH);
    }
    ensureRoom(frame, BlockHeader.LENGTH);
    frame.body.writerIndex(frame.body.writerIndex() + BlockHeader.LENGTH);
    int sequence = partitions.addBlock(partition, 0, 0, 0);
    partitions.markEnded(partition);
    addHeader(
        frame,
        new BlockHeader(
            attempt.id(),
            attempt.mapIndex(),
            partition,
            sequence,
            0,
            0,
            0,
            BlockCodec.NONE,
            BlockHeader.FLAG_LAST));
  }

  /** Sets LAST on the newest block of every partition that gets no more blocks. */
  private void markEnds(OpenFrame frame) {
    if (frame == null || !finalPass) {
      return;
    }
    List<BlockHeader> headers = frame.headers;
    for (int i = 0; i < headers.size(); i++) {
      BlockHeader header = headers.get(i);
      int partition = header.partition();
      if (partition < finalPartition
          && header.sequence() + 1 == partitions.nextSequence(partition)
          && !partitions.isEnded(partition)) {
        headers.set(i, header.withFlags(BlockHeader.FLAG_LAST));
        partitions.markEnded(partition);
      }
    }
  }

  private void flush(int set) throws IOException {
    OpenFrame frame = open[set];
    if (frame == null) {
      return;
    }
    markEnds(frame);
    int at = 0;
    for (BlockHeader header : frame.headers) {
      BlockFormat.seal(
          frame.body,
          at,
          header,
          header.isLast() ? partitions.receipt(header.partition()) : Receipt.NONE);
      at += header.blockLength();
    }
    open[set] = null;
    openBytes -= frame.body.capacity();
    sink.accept(set, frame.body);
  }

  /** Flushes all open frames. */
  void flushAll() throws IOException {
    for (int set = 0; set < open.length; set++) {
      flush(set);
    }
  }

  /** Uses other sets of servers from now on. No frame may be open. */
  void switchSets(FrameSets other) {
    sets = other;
    open = new OpenFrame[other.count()];
    currentSet = -1;
  }

  long[] partitionLengths() {
    return partitions.lengths();
  }

  long uncompressedBytes() {
    return uncompressedBytes;
  }

  long blockBytes() {
    return blockBytes;
  }

  long blocks() {
    return blocks;
  }

  long records() {
    return records;
  }

  /** Frees the open frames. Idempotent. */
  void release() {
    for (int set = 0; set < open.length; set++) {
      if (open[set] != null) {
        openBytes -= open[set].body.capacity();
        open[set].body.release();
        open[set] = null;
      }
    }
  }
}
