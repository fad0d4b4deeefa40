package org.apache.spark.shuffle;

import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.NativeEngine;
import io.sluice.spark.engine.NativeEngines;
import io.sluice.spark.local.LocalMapFiles;
import io.sluice.spark.read.SerializerDecoder;
import io.sluice.spark.read.SluiceReader;
import io.sluice.spark.write.AdoptedFileWriter;
import io.sluice.spark.write.MapOutput;
import io.sluice.spark.write.PartialMetrics;
import io.sluice.spark.write.SluiceWriter;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shuffles of the application's native engine, if it uses one: those through Sluice have the
 * engine's writers and readers, others use its shuffle manager. Thread-safe.
 */
final class EngineShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(EngineShuffles.class);

  /** Null if the application uses none. */
  private final NativeEngine engine;

  private EngineShuffles(NativeEngine engine) {
    this.engine = engine;
  }

  /** Finds the engine. A driver warns about engines without support, and changes {@code conf}. */
  static EngineShuffles of(SparkConf conf, boolean isDriver) {
    NativeEngine engine = NativeEngines.of(conf, isDriver ? LOG::warn : warning -> {}).orElse(null);
    if (isDriver && engine != null) {
      engine.prepare(conf);
    }
    return new EngineShuffles(engine);
  }

  /** Whether the engine writes and reads a shuffle. */
  boolean include(ShuffleDependency<?, ?, ?> dependency) {
    return engine != null && engine.uses(dependency);
  }

  /** Whether a handle is one of the engine's shuffle manager. */
  boolean include(ShuffleHandle handle) {
    return engine != null && engine.owns(handle);
  }

  /** The engine's shuffle manager, for its shuffles that do not use Sluice. */
  ShuffleManager builtIn() {
    return engine.shuffleManager();
  }

  /**
   * Opens the engine's writer of a map attempt, whose file is pushed.
   *
   * @param files map output files of this process
   * @param output takes: opened with {@link PartialMetrics#bytesOnly}
   */
  <K, V, C> SluiceWriter<K, V> writer(
      RssShuffleHandle<K, V, C> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      LocalMapFiles files,
      MapOutput output,
      int blockBytes) {
    ShuffleDependency<K, V, C> dependency = handle.dependency();
    return new AdoptedFileWriter<>(
        builtIn()
            .getWriter(
                builtIn().registerShuffle(handle.shuffleId(), dependency),
                mapId,
                context,
                PartialMetrics.recordsOnly(metrics)),
        engine.format(dependency),
        files,
        handle.shuffleId(),
        dependency.partitioner().numPartitions(),
        context,
        mapId,
        output,
        blockBytes);
  }

  /**
   * Opens a reader, that of the engine for its shuffles.
   *
   * @param contents takes
   */
  <K, C> ShuffleReader<K, C> reader(
      RssShuffleHandle<K, ?, C> handle,
      BlockContents contents,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    ShuffleDependency<K, ?, C> dependency = handle.dependency();
    if (!include(dependency)) {
      return new SluiceReader<>(
          dependency, contents, SerializerDecoder.of(dependency.serializer()), context, metrics);
    }
    return engine.readerOf(
        handle,
        new SluiceReader<>(
            dependency, contents, engine.decoder(dependency, context), context, metrics),
        context,
        metrics);
  }

  /** Forgets a shuffle, and removes files that the engine's shuffle manager has of it. */
  void unregister(int shuffle) {
    if (engine != null) {
      builtIn().unregisterShuffle(shuffle);
    }
  }
}
