package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns contents into blocks and blocks into frames, one open frame for each set of servers. Blocks
 * are compressed right into their frame; they are sealed when the frame is cut, because only then
 * is it known which are the last of their partition. Belongs to one thread; does no I/O.
 *
 * <p>Invariants of a frame: blocks of one partition are adjacent; partitions ascend, apart from the
 * end marks that finishing appends.
 */
final class BlockFramer {
  private static final int FIRST_CAPACITY = 64 << 10;

  /** Contents below this are not worth a compressor's call. */
  private static final int MIN_COMPRESSED_BYTES = 32;

  /** What all open frames may take together, in full frames, however many servers there are. */
  private static final int MAX_OPEN_FULL_FRAMES = 4;

  /** What a payload transform may add: an initialization vector and padding. */
  private static final int TRANSFORM_ROOM = 1024;

  /** Takes frames. */
  interface Sink {
    /**
     * @param set which set of servers it is for
     * @param body takes: whole sealed blocks
     */
    void accept(int set, ByteBuf body) throws IOException;
  }

  private FrameSets sets;
  private final MapAttempt attempt;
  private final BlockCompressor compressor;
  private final PayloadTransform transform;
  private final BlockSizes sizes;
  private final ByteBufAllocator allocator;
  private final int frameBytes;
  private final int pieceBytes;
  private final Sink sink;
  private final PushedPartitions partitions;
  private OpenFrame[] open;
  private byte[] scratch = new byte[0];
  private boolean finalPass;
  private int finalPartition = -1;
  private int currentSet = -1;
  private long openBytes;
  private long contentBytes;
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
   * @param transform null for none
   * @param sizes how {@link #partitionLengths} are counted
   * @param frameBytes most bytes of a frame
   */
  BlockFramer(
      FrameSets sets,
      int partitionCount,
      MapAttempt attempt,
      BlockCompressor compressor,
      PayloadTransform transform,
      BlockSizes sizes,
      ByteBufAllocator allocator,
      int frameBytes,
      Sink sink) {
    this.sets = sets;
    this.attempt = attempt;
    this.compressor = compressor;
    this.transform = transform;
    this.sizes = sizes;
    this.allocator = allocator;
    this.frameBytes = frameBytes;
    this.pieceBytes = largestPiece();
    this.sink = sink;
    this.partitions = new PushedPartitions(partitionCount);
    this.open = new OpenFrame[sets.count()];
  }

  private int largestPiece() {
    int piece = frameBytes;
    int over = room(piece) - frameBytes;
    while (over > 0) {
      piece -= over;
      over = room(piece) - frameBytes;
    }
    return piece;
  }

  /** Most bytes that a block of so much content can take. */
  private int room(int length) {
    return BlockHeader.LENGTH
        + Math.max(length, compressor.maxCompressedLength(length))
        + (transform == null ? 0 : TRANSFORM_ROOM);
  }

  void add(int partition, byte[] bytes, int offset, int length, int recordCount)
      throws IOException {
    int set = sets.setOf(partition);
    if (finalPass) {
      if (partition < finalPartition || partitions.isEnded(partition)) {
        throw new IllegalStateException(
            "partition " + partition + " came after " + finalPartition + " in the final pass");
      }
      finalPartition = partition;
      if (currentSet >= 0 && currentSet != set && sets.lastPartition(currentSet) < partition) {
        cut(currentSet);
      }
    }
    currentSet = set;
    int at = 0;
    while (at < length) {
      int piece = Math.min(pieceBytes, length - at);
      int flags = at + piece < length ? BlockHeader.FLAG_CONTINUED : 0;
      addBlock(set, partition, bytes, offset + at, piece, at == 0 ? recordCount : 0, flags);
      at += piece;
    }
    contentBytes += length;
    records += recordCount;
  }

  private void addBlock(
      int set,
      int partition,
      byte[] bytes,
      int offset,
      int length,
      int recordCount,
      int contentFlags)
      throws IOException {
    OpenFrame frame = frameWithRoom(set, partition, room(length));
    ByteBuf body = frame.body;
    int start = body.writerIndex();
    int payloadAt = start + BlockHeader.LENGTH;
    BlockCodec codec = BlockCodec.NONE;
    int payloadLength = length;
    int flags = contentFlags;
    if (transform != null) {
      flags |= BlockHeader.FLAG_ENCRYPTED;
      byte[] payload = bytes;
      int payloadOffset = offset;
      int compressed = compressToScratch(bytes, offset, length);
      if (compressed < length) {
        codec = compressor.codec();
        payload = scratch;
        payloadOffset = 0;
        payloadLength = compressed;
      }
      byte[] encoded = transform.encode(payload, payloadOffset, payloadLength);
      if (encoded.length < 1 || encoded.length > payloadLength + TRANSFORM_ROOM) {
        throw new IllegalStateException(
            "the payload transform made "
                + encoded.length
                + " of "
                + payloadLength
                + " bytes; it may add at most "
                + TRANSFORM_ROOM);
      }
      payloadLength = encoded.length;
      body.writerIndex(payloadAt);
      body.writeBytes(encoded);
    } else {
      int compressed = length;
      if (length >= MIN_COMPRESSED_BYTES && compressor.codec() != BlockCodec.NONE) {
        ByteBuffer target =
            body.internalNioBuffer(payloadAt, compressor.maxCompressedLength(length));
        compressed = compressor.compress(bytes, offset, length, target);
      }
      if (compressed < length) {
        codec = compressor.codec();
        payloadLength = compressed;
      } else {
        body.setBytes(payloadAt, bytes, offset, length);
      }
      body.writerIndex(payloadAt + payloadLength);
    }
    int sequence =
        partitions.addBlock(
            partition,
            sizes.of(partitions.nextSequence(partition) == 0, codec, length, payloadLength),
            recordCount,
            length);
    note(
        frame,
        new BlockHeader(
            attempt.id(),
            attempt.mapIndex(),
            partition,
            sequence,
            recordCount,
            length,
            payloadLength,
            codec,
            flags));
  }

  private int compressToScratch(byte[] bytes, int offset, int length) {
    if (length < MIN_COMPRESSED_BYTES || compressor.codec() == BlockCodec.NONE) {
      return length;
    }
    int most = compressor.maxCompressedLength(length);
    if (scratch.length < most) {
      scratch = new byte[most];
    }
    return compressor.compress(bytes, offset, length, ByteBuffer.wrap(scratch));
  }

  private void note(OpenFrame frame, BlockHeader header) {
    frame.headers.add(header);
    frame.lastPartition = header.partition();
    blocks++;
    blockBytes += header.blockLength();
  }

  private OpenFrame frameWithRoom(int set, int partition, int room) throws IOException {
    OpenFrame frame = open[set];
    if (frame != null
        && (frame.body.writerIndex() + room > frameBytes || partition < frame.lastPartition)) {
      cut(set);
      frame = null;
    }
    if (frame == null) {
      int capacity = Math.min(frameBytes, Math.max(FIRST_CAPACITY, room));
      frame = new OpenFrame(allocator.directBuffer(capacity, Math.max(frameBytes, room)));
      open[set] = frame;
      openBytes += frame.body.capacity();
    }
    makeRoom(frame, room);
    while (openBytes > (long) MAX_OPEN_FULL_FRAMES * frameBytes && cutLargestBut(set)) {
      // One less.
    }
    return frame;
  }

  private void makeRoom(OpenFrame frame, int room) {
    int before = frame.body.capacity();
    frame.body.ensureWritable(room);
    openBytes += frame.body.capacity() - before;
  }

  private boolean cutLargestBut(int kept) throws IOException {
    int largest = -1;
    for (int set = 0; set < open.length; set++) {
      if (set != kept
          && open[set] != null
          && (largest < 0 || open[set].body.capacity() > open[largest].body.capacity())) {
        largest = set;
      }
    }
    if (largest >= 0) {
      cut(largest);
    }
    return largest >= 0;
  }

  /** Memory of the open frames. */
  long openBytes() {
    return openBytes;
  }

  void beginFinalPass() {
    finalPass = true;
    currentSet = -1;
  }

  /** Marks the end of every partition that has blocks, and gives out all frames. */
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
    cutAll();
  }

  /** A block of nothing, for a partition whose last block has gone unmarked. */
  private void addEndMark(int partition) throws IOException {
    int set = sets.setOf(partition);
    OpenFrame frame = open[set];
    if (frame != null && frame.body.writerIndex() + BlockHeader.LENGTH > frameBytes) {
      cut(set);
      frame = null;
    }
    if (frame == null) {
      frame = frameWithRoom(set, partition, BlockHeader.LENGTH);
    }
    makeRoom(frame, BlockHeader.LENGTH);
    frame.body.writerIndex(frame.body.writerIndex() + BlockHeader.LENGTH);
    int sequence = partitions.addBlock(partition, 0, 0, 0);
    partitions.markEnded(partition);
    note(
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

  /** Sets LAST on the newest block of every partition that gets nothing more. */
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
        headers.set(i, last(header));
        partitions.markEnded(partition);
      }
    }
  }

  private static BlockHeader last(BlockHeader header) {
    return new BlockHeader(
        header.mapAttempt(),
        header.mapIndex(),
        header.partition(),
        header.sequence(),
        header.recordCount(),
        header.uncompressedLength(),
        header.payloadLength(),
        header.codec(),
        header.flags() | BlockHeader.FLAG_LAST);
  }

  private void cut(int set) throws IOException {
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

  /** Gives out all frames, whatever they hold. */
  void cutAll() throws IOException {
    for (int set = 0; set < open.length; set++) {
      cut(set);
    }
  }

  /** Cuts for other sets from now on. No frame may be open. */
  void use(FrameSets other) {
    sets = other;
    open = new OpenFrame[other.count()];
    currentSet = -1;
  }

  long[] partitionLengths() {
    return partitions.lengths();
  }

  long contentBytes() {
    return contentBytes;
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
