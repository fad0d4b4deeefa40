package io.sluice.spark.local;

import java.io.File;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;

/** Reads blocks of map output files through Spark's block manager. Thread-safe. */
public interface BlockSource {
  /** Whether the block manager at this address is the one of this process. */
  boolean isLocal(BlockManagerId at);

  /** A block of this process; owned by the caller. Throws Spark's exception if it is missing. */
  ManagedBuffer localBlock(ShuffleBlockId block);

  /**
   * Starts to fetch blocks. The listener is called once per block, on any thread.
   *
   * @param files creates files for the fetched blocks; null to fetch to memory
   */
  void fetch(
      BlockManagerId at,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager files);

  /** Name of a new temporary file. */
  File temporaryFile();

  /** Reads through the block manager of this process. */
  static BlockSource of(SparkEnv env) {
    BlockManager blocks = env.blockManager();
    return new BlockSource() {
      @Override
      public boolean isLocal(BlockManagerId at) {
        BlockManagerId here = blocks.blockManagerId();
        return at.executorId().equals(here.executorId()) && at.host().equals(here.host());
      }

      @Override
      public ManagedBuffer localBlock(ShuffleBlockId block) {
        return blocks.getLocalBlockData(block);
      }

      @Override
      public void fetch(
          BlockManagerId at,
          String[] names,
          BlockFetchingListener listener,
          DownloadFileManager files) {
        blocks
            .blockStoreClient()
            .fetchBlocks(at.host(), at.port(), at.executorId(), names, listener, files);
      }

      @Override
      public File temporaryFile() {
        return blocks.diskBlockManager().createTempLocalBlock()._2();
      }
    };
  }
}
