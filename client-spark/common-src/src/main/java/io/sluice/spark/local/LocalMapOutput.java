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
 * Local output of one map attempt: blocks that no server accepted from its push session. Creates no
 * file before the first block. Owned by the task thread.
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
   * Commits the accepted blocks, so that reduce tasks can read them. Called at most once, and only
   * if there are blocks.
   *
   * @param needed whether this is the only copy of the blocks and stays so, which is logged
   * @return the block manager or external shuffle service that serves the blocks
   */
  public BlockManagerId commit(boolean needed) throws IOException {
    Path data = files.temporary(shuffle, mapId);
    boolean done = false;
    try {
      BlockManagerId at = files.commit(shuffle, mapId, blocks.finish(data), data);
      if (needed) {
        LOG.info(
            "map output kept locally: no server accepted it shuffle={} attempt={} bytes={}",
            shuffle,
            mapId,
            blocks.bytes());
      }
      done = true;
      return at;
    } finally {
      if (!done) {
        Files.deleteIfExists(data);
      }
    }
  }

  /** Deletes uncommitted blocks. Idempotent. */
  @Override
  public void close() {
    if (blocks != null) {
      try {
        blocks.close();
      } catch (IOException e) {
        LOG.warn(
            "temporary file of local map output not deleted shuffle={} attempt={} error=\"{}\"",
            shuffle,
            mapId,
            e.toString());
      }
      blocks = null;
    }
  }
}
