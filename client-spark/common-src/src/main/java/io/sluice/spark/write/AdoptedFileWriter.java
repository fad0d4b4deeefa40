package io.sluice.spark.write;

import io.sluice.spark.engine.FrameFormat;
import io.sluice.spark.local.LocalMapFiles;
import io.sluice.spark.local.TakenFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Lets an engine's writer finish its map output file, then pushes the file as blocks of whole
 * frames, and deletes it. The file exists only while the task runs, and no reader knows it.
 */
public final class AdoptedFileWriter<K, V> extends SluiceWriter<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(AdoptedFileWriter.class);

  private final ShuffleWriter<K, V> engine;
  private final FrameFormat format;
  private final LocalMapFiles files;
  private final int shuffle;
  private final long mapId;
  private final int partitionCount;
  private final int blockBytes;
  private boolean engineStopped;
  private TakenFile file;

  /**
   * @param engine takes: commits its map output file under Spark's name
   * @param format format of that file
   * @param files map output files of this process
   * @param output takes
   * @param blockBytes maximum bytes of a block, unless one frame is larger
   */
  public AdoptedFileWriter(
      ShuffleWriter<K, V> engine,
      FrameFormat format,
      LocalMapFiles files,
      int shuffle,
      int partitionCount,
      TaskContext context,
      long mapId,
      MapOutput output,
      int blockBytes) {
    super(context, mapId, output);
    this.engine = engine;
    this.format = format;
    this.files = files;
    this.shuffle = shuffle;
    this.mapId = mapId;
    this.partitionCount = partitionCount;
    this.blockBytes = blockBytes;
  }

  @Override
  void writeAll(Iterator<Product2<K, V>> records) throws IOException {
    engine.write(records);
    file = files.take(shuffle, mapId, partitionCount);
    // Frees the memory of the engine before the push needs memory.
    stopEngine(true);
    output().beginFinalPass();
    push();
  }

  private void push() throws IOException {
    FrameBlocks blocks = new FrameBlocks(format, output(), blockBytes);
    if (file.isEmpty()) {
      return;
    }
    try (InputStream data = Files.newInputStream(file.data())) {
      for (int partition = 0; partition < partitionCount; partition++) {
        long length = file.lengths()[partition];
        if (length > 0) {
          blocks.add(partition, data, length);
        }
      }
    } catch (IOException e) {
      throw new IOException(
          "map output of a native engine cannot be pushed shuffle="
              + shuffle
              + " attempt="
              + mapId
              + " file="
              + file.data()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private void stopEngine(boolean success) {
    if (!engineStopped) {
      engineStopped = true;
      engine.stop(success);
    }
  }

  @Override
  void release() {
    boolean failed = !engineStopped;
    stopEngine(false);
    try {
      if (file != null) {
        file.close();
      } else if (failed) {
        files.removeUntaken(shuffle, mapId);
      }
    } catch (IOException e) {
      LOG.warn(
          "map output file of a native engine not deleted shuffle={} attempt={} error=\"{}\"",
          shuffle,
          mapId,
          e.toString());
    }
  }
}
