package io.sluice.spark.local;

import io.netty.buffer.ByteBuf;
import io.sluice.client.local.LocalOutputFile;
import io.sluice.client.push.LocalSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local output of one map attempt: blocks that its push session could give to no server. Makes
 * no file before there is one. Owned by the task thread.
 */
public final class LocalMapOutput implements LocalSink, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalMapOutput.class);

  private final LocalMapFiles files;
  private final int shuffle;
  private final long mapId;
  private final int partitionCount;
  private LocalOutputFile blocks;

  public LocalMapOutput(LocalMapFiles files, int shuffle, long mapId, int partitionCount) {
    this.files = files;
    this.shuffle = shuffle;
    this.mapId = mapId;
    this.partitionCount = partitionCount;
  }

  @Override
  public void accept(ByteBuf body) throws IOException {
    if (blocks == null) {
      blocks = new LocalOutputFile(files.temporary(shuffle, mapId), partitionCount);
    }
    blocks.accept(body);
  }

  public boolean isEmpty() {
    return blocks == null || blocks.bytes() == 0;
  }

  /**
   * Makes what was accepted readable for others. To be called once, and only if there is something.
   *
   * @param needed whether its blocks are nowhere else for good, which is worth a line in the log
   * @return what serves it
   */
  public BlockManagerId commit(boolean needed) throws IOException {
    Path data = files.temporary(shuffle, mapId);
    boolean done = false;
    try {
      BlockManagerId at = files.commit(shuffle, mapId, blocks.finish(data), data);
      if (needed) {
        LOG.info(
            "map output kept locally shuffle={} map={} bytes={}", shuffle, mapId, blocks.bytes());
      }
      done = true;
      return at;
    } finally {
      if (!done) {
        Files.deleteIfExists(data);
      }
    }
  }

  /** Gives up what was not committed. Idempotent. */
  @Override
  public void close() {
    if (blocks != null) {
      try {
        blocks.close();
      } catch (IOException e) {
        LOG.warn(
            "temporary file of local map output not removed shuffle={} map={} error=\"{}\"",
            shuffle,
            mapId,
            e.toString());
      }
      blocks = null;
    }
  }
}
