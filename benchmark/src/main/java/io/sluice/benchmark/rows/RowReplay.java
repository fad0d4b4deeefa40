package io.sluice.benchmark.rows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.benchmark.rows.RowExchange.Blocks;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.push.BlockSizes;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.RowBlocks;
import io.sluice.client.read.PayloadReader;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Replays the log of an exchange, whose format {@code RowLog} of the demo's driver defines: frames
 * its blocks with a push session, and restores and compares their records.
 */
final class RowReplay {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int FRAME_BYTES = 2 << 20;
  private static final int MAX_BLOCK_BYTES = 64 << 20;
  private static final int ZSTD_LEVEL = 1;
  private static final int SEGMENT_HEADER_BYTES = 16;

  private final BlockCodec codec;
  private final List<Batch> batches;
  private final PayloadReader payloads =
      new PayloadReader(null, BlockCodecs.decompressor(MAX_BLOCK_BYTES));
  private byte[] block = new byte[0];
  private int next;
  private double blockBytes;
  private double readNanos;
  private double otherNanos;

  /** Records of a block. */
  static final class Batch {
    private final byte[] bytes;
    private final int rows;

    Batch(byte[] bytes, int rows) {
      this.bytes = bytes;
      this.rows = rows;
    }
  }

  private RowReplay(BlockCodec codec, List<Batch> batches) {
    this.codec = codec;
    this.batches = batches;
  }

  /** Replays a file with and without row planes. */
  static RowExchange of(Path file, BlockCodec codec) throws IOException {
    List<Batch> batches = new ArrayList<>();
    int fields;
    double total;
    double logged = 0;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 20))) {
      fields = in.readInt();
      total = in.readLong();
      while (in.available() > 0) {
        byte[] bytes = new byte[in.readInt()];
        int rows = in.readInt();
        in.readFully(bytes);
        batches.add(new Batch(bytes, rows));
        logged += bytes.length;
      }
    }
    double factor = logged == 0 ? 0 : total / logged;
    String name = file.getFileName().toString().replace(".rows", "");
    int dash = name.lastIndexOf('-');
    return new RowExchange(
        name.substring(0, dash),
        Integer.parseInt(name.substring(dash + 1)),
        codec,
        total,
        new RowReplay(codec, batches).run(null).times(factor),
        new RowReplay(codec, batches).run(new RowBlocks(fields)).times(factor));
  }

  /** Replays records of MapReduce with and without record planes, to be measured as rows are. */
  static RowExchange ofRecords(String name, List<Batch> batches, BlockCodec codec)
      throws IOException {
    return new RowExchange(
        name,
        0,
        codec,
        batches.stream().mapToLong(batch -> batch.bytes.length).sum(),
        new RowReplay(codec, batches).run(null),
        new RowReplay(codec, batches).run(RowBlocks.ofRecords(SEGMENT_HEADER_BYTES)));
  }

  private Blocks run(RowBlocks rows) throws IOException {
    RetryPolicy retry = new RetryPolicy(1, 1, 1, 1);
    PushConfig config =
        new PushConfig(FRAME_BYTES, FRAME_BYTES, 1, codec, ZSTD_LEVEL, retry, retry);
    PushOptions options = new PushOptions(null, null, this::read, BlockSizes.PAYLOADS, rows);
    long begun = cpuNanos();
    double reported;
    try (FramedPushSession session =
        FramedPushSession.toLocalOutput(
            1,
            new MapAttempt(1, 1),
            options,
            config,
            PooledByteBufAllocator.DEFAULT,
            new DirectMemory(Long.MAX_VALUE))) {
      for (Batch batch : batches) {
        long copied = cpuNanos();
        // As the sorter of a map task, which leaves the block in the processor's cache.
        if (block.length < batch.bytes.length) {
          block = new byte[batch.bytes.length];
        }
        System.arraycopy(batch.bytes, 0, block, 0, batch.bytes.length);
        otherNanos += cpuNanos() - copied;
        session.add(0, block, 0, batch.bytes.length, batch.rows);
      }
      session.finish();
      reported = session.partitionLengths()[0];
    } finally {
      payloads.close();
    }
    if (next != batches.size()) {
      throw new IllegalStateException("expected " + batches.size() + " blocks, found " + next);
    }
    double writeNanos = cpuNanos() - begun - readNanos - otherNanos;
    return new Blocks(blockBytes, reported, writeNanos, readNanos);
  }

  private static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Restores the blocks of a frame. */
  private void read(ByteBuf frame) throws IOException {
    int at = frame.readerIndex();
    while (at < frame.writerIndex()) {
      long begun = cpuNanos();
      BlockHeader header = BlockFormat.readVerified(frame, at, frame.writerIndex());
      int length = header.uncompressedLength();
      if (length > 0) {
        byte[] records = payloads.read(frame, at + BlockHeader.LENGTH, header);
        long restored = cpuNanos();
        readNanos += restored - begun;
        compare(records, length);
        otherNanos += cpuNanos() - restored;
        blockBytes += header.blockLength();
      }
      at += header.blockLength();
    }
  }

  private void compare(byte[] records, int length) {
    byte[] expected = batches.get(next++).bytes;
    if (!Arrays.equals(expected, 0, expected.length, records, 0, length)) {
      throw new IllegalStateException("block " + (next - 1) + " is not what was written");
    }
  }
}
