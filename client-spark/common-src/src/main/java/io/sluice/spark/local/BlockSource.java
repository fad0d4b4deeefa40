package io.sluice.spark.local;

import java.io.File;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;

/** What Spark has to offer for reading blocks of map output files. Thread-safe. */
public interface BlockSource {
  /** Whether this process itself has the files of that place. */
  boolean isHere(BlockManagerId at);

  /** A block of this process; owned by the caller. Throws what Spark throws if there is none. */
  ManagedBuffer own(ShuffleBlockId block);

  /**
   * Begins to fetch blocks; each ends with a call to the listener, on any thread.
   *
   * @param files where to put them; null: in memory
   */
  void fetch(
      BlockManagerId at,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager files);

  /** A new temporary file's name. */
  File temporaryFile();

  /** Spark's, of this process. */
  static BlockSource of(SparkEnv env) {
    BlockManager blocks = env.blockManager();
    return new BlockSource() {
      @Override
      public boolean isHere(BlockManagerId at) {
        BlockManagerId here = blocks.blockManagerId();
        return at.executorId().equals(here.executorId()) && at.host().equals(here.host());
      }

      @Override
      public ManagedBuffer own(ShuffleBlockId block) {
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
