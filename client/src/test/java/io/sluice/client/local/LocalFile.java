package io.sluice.client.local;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushOptions;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Local output files for tests, sorted in memory. */
final class LocalFile {
  /** Fills a session. */
  interface Content {
    void addTo(FramedPushSession session) throws IOException;
  }

  private final Map<Integer, ByteArrayOutputStream> byPartition = new TreeMap<>();
  private final List<BlockHeader> blocks = new ArrayList<>();

  private LocalFile() {}

  /** Writes an output through a session and sorts it by partition. */
  static FinishedOutput write(
      Path file, FakeCluster cluster, ShuffleAssignment assignment, long attempt, Content content)
      throws IOException {
    LocalFile local = frames(cluster, assignment, attempt, null, content);
    long[] lengths = new long[assignment.partitionCount()];
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    local.byPartition.forEach(
        (partition, bytes) -> {
          lengths[partition] = bytes.size();
          all.writeBytes(bytes.toByteArray());
        });
    Files.write(file, all.toByteArray());
    return new FinishedOutput(
        assignment, new MapAttempt(attempt, (int) attempt), file, lengths::clone, null, () -> true);
  }

  /** Collects the frames of a session. */
  static LocalFile frames(
      FakeCluster cluster,
      ShuffleAssignment assignment,
      long attempt,
      PayloadTransform transform,
      Content content)
      throws IOException {
    LocalFile local = new LocalFile();
    try (FramedPushSession session =
        FramedPushSession.toLocalOutput(
            assignment.partitionCount(),
            new MapAttempt(attempt, (int) attempt),
            new PushOptions(transform, null, local::accept),
            cluster.pushConfig(),
            cluster.allocator(),
            cluster.memory())) {
      content.addTo(session);
      session.finish();
    }
    return local;
  }

  private void accept(ByteBuf body) throws IOException {
    try {
      int at = body.readerIndex();
      while (at < body.writerIndex()) {
        BlockHeader header = BlockFormat.readVerified(body, at, body.writerIndex());
        byte[] block = new byte[header.blockLength()];
        body.getBytes(at, block);
        byPartition
            .computeIfAbsent(header.partition(), p -> new ByteArrayOutputStream())
            .writeBytes(block);
        blocks.add(header);
        at += block.length;
      }
    } catch (BlockFormatException e) {
      throw new IOException(e);
    }
  }

  /** Block headers in the order of arrival. */
  List<BlockHeader> blocks() {
    return blocks;
  }
}
