package io.sluice.spark.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
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
 * Local output files of this process. They are in Spark's shuffle directories, with the names and
 * index files that Spark expects, so the block manager and the external shuffle service serve them.
 * Tracks the files, because Spark removes only files that its own writers created. One per process.
 * Thread-safe.
 */
public final class LocalMapFiles {
  private static final Logger LOG = LoggerFactory.getLogger(LocalMapFiles.class);
  private static final long[] NO_CHECKSUMS = {};

  /** Comet's native writer appends this to Spark's names until it commits a file. */
  private static final String UNCOMMITTED = ".tmp";

  private final IndexShuffleBlockResolver resolver;
  private final ConcurrentMap<Integer, Set<Long>> mapIds = new ConcurrentHashMap<>();

  public LocalMapFiles(IndexShuffleBlockResolver resolver) {
    this.resolver = resolver;
  }

  /** Path of a new temporary file on the disk of the final output file. */
  public Path temporary(int shuffle, long mapId) {
    return resolver.createTempFile(resolver.getDataFile(shuffle, mapId)).toPath();
  }

  /**
   * Commits a file as the local output of an attempt.
   *
   * @param lengths bytes of every partition in the file, which contains them in ascending order
   * @param data takes: moved, or deleted by the caller if this throws
   * @return the block manager or external shuffle service that serves it
   */
  public BlockManagerId commit(int shuffle, long mapId, long[] lengths, Path data)
      throws IOException {
    mapIds.computeIfAbsent(shuffle, any -> ConcurrentHashMap.newKeySet()).add(mapId);
    resolver.writeMetadataFileAndCommit(shuffle, mapId, lengths, NO_CHECKSUMS, data.toFile());
    return SparkEnv.get().blockManager().shuffleServerId();
  }

  /**
   * Takes the file that another writer committed for an attempt: moves it away from Spark's name,
   * and removes its index.
   *
   * @param partitions number of partitions of the shuffle. The file may have more, if these are
   *     empty: Comet's range exchange writes the length of each planned partition, but its
   *     partitioner has one partition more than it has sampled bounds, and rows only there
   * @return owned by the caller
   * @throws IOException if the file has data of other partitions, which no reader would read
   */
  public TakenFile take(int shuffle, long mapId, int partitions) throws IOException {
    long[] lengths = lengths(index(shuffle, mapId), partitions);
    Path taken = temporary(shuffle, mapId);
    if (Files.exists(data(shuffle, mapId))) {
      Files.move(data(shuffle, mapId), taken, StandardCopyOption.REPLACE_EXISTING);
    }
    removeUntaken(shuffle, mapId);
    return new TakenFile(taken, lengths);
  }

  private static long[] lengths(Path index, int partitions) throws IOException {
    int written = (int) (Files.size(index) / Long.BYTES) - 1;
    long[] lengths = new IndexFile(index, Math.max(partitions, written)).read();
    for (int other = partitions; other < lengths.length; other++) {
      if (lengths[other] > 0) {
        throw new IOException(
            "map output has data of a partition that the shuffle does not have, another version of"
                + " the native engine may be on the class path: partition="
                + other
                + " partitions="
                + partitions
                + " file="
                + index);
      }
    }
    return Arrays.copyOf(lengths, partitions);
  }

  /** Removes files that another writer wrote for an attempt, committed or not. */
  public void removeUntaken(int shuffle, long mapId) throws IOException {
    resolver.removeDataByMap(shuffle, mapId);
    Files.deleteIfExists(uncommitted(data(shuffle, mapId)));
    Files.deleteIfExists(uncommitted(index(shuffle, mapId)));
  }

  private static Path uncommitted(Path file) {
    return file.resolveSibling(file.getFileName() + UNCOMMITTED);
  }

  /** Data file with the committed blocks of an attempt. */
  public Path data(int shuffle, long mapId) {
    return resolver.getDataFile(shuffle, mapId).toPath();
  }

  /** Index file with the length of each partition in the data file. */
  public Path index(int shuffle, long mapId) {
    return resolver.getIndexFile(shuffle, mapId, Option.empty()).toPath();
  }

  /** Removes the output of one attempt, if it exists. */
  public void remove(int shuffle, long mapId) {
    Set<Long> known = mapIds.get(shuffle);
    if (known != null && known.remove(mapId)) {
      resolver.removeDataByMap(shuffle, mapId);
    }
  }

  /** Removes all local output of a shuffle in this process. */
  public void removeAll(int shuffle) {
    Set<Long> known = mapIds.remove(shuffle);
    if (known != null) {
      known.forEach(mapId -> resolver.removeDataByMap(shuffle, mapId));
      LOG.debug("local output removed shuffle={} maps={}", shuffle, known.size());
    }
  }
}
