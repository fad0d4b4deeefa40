package io.sluice.spark.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The map output files of this process that hold blocks, where Spark keeps its own: in its shuffle
 * directories, named and indexed as Spark expects, so that whatever serves Spark's files serves
 * these. Remembers them, because Spark removes only files of map tasks that it wrote itself. One
 * per process. Thread-safe.
 */
public final class LocalMapFiles {
  private static final Logger LOG = LoggerFactory.getLogger(LocalMapFiles.class);
  private static final long[] NO_CHECKSUMS = {};

  private final IndexShuffleBlockResolver resolver;
  private final ConcurrentMap<Integer, Set<Long>> mapIds = new ConcurrentHashMap<>();

  public LocalMapFiles(IndexShuffleBlockResolver resolver) {
    this.resolver = resolver;
  }

  /** A path for a file that does not exist yet, on the disk where the output is to lie. */
  public Path temporary(int shuffle, long mapId) {
    return resolver.createTempFile(resolver.getDataFile(shuffle, mapId)).toPath();
  }

  /**
   * Makes a file the local output of an attempt.
   *
   * @param lengths bytes of every partition in it; it holds them in ascending order
   * @param data takes: moved, or deleted by the caller if this throws
   * @return what will serve it
   */
  public BlockManagerId commit(int shuffle, long mapId, long[] lengths, Path data)
      throws IOException {
    mapIds.computeIfAbsent(shuffle, any -> ConcurrentHashMap.newKeySet()).add(mapId);
    resolver.writeMetadataFileAndCommit(shuffle, mapId, lengths, NO_CHECKSUMS, data.toFile());
    return SparkEnv.get().blockManager().shuffleServerId();
  }

  /** Where the blocks of an attempt lie once they are committed. */
  public Path data(int shuffle, long mapId) {
    return resolver.getDataFile(shuffle, mapId).toPath();
  }

  /** Where it says how many bytes each partition has there. */
  public Path index(int shuffle, long mapId) {
    return resolver.getIndexFile(shuffle, mapId, Option.empty()).toPath();
  }

  /** Removes the output of one attempt, if there is any. */
  public void remove(int shuffle, long mapId) {
    Set<Long> known = mapIds.get(shuffle);
    if (known != null && known.remove(mapId)) {
      resolver.removeDataByMap(shuffle, mapId);
    }
  }

  /** Removes all that this process has of a shuffle. */
  public void removeAll(int shuffle) {
    Set<Long> known = mapIds.remove(shuffle);
    if (known != null) {
      known.forEach(mapId -> resolver.removeDataByMap(shuffle, mapId));
      LOG.debug("local output removed shuffle={} maps={}", shuffle, known.size());
    }
  }
}
