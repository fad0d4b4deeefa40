package io.sluice.spark.engine;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;

/**
 * A native engine whose shuffles go through Sluice in the engine's format. Its own writers leave a
 * map output file, which Sluice pushes as opaque blocks; its own decoder reads them. Thread-safe.
 */
public interface NativeEngine {
  /** Name of the engine in messages. */
  String name();

  /**
   * Changes the configuration of a driver so that the engine plans its shuffles for Sluice, if the
   * application uses the engine.
   */
  void prepare(SparkConf conf);

  /** Whether the engine's writers and readers are those of a shuffle. */
  boolean uses(ShuffleDependency<?, ?, ?> dependency);

  /** Whether the handle is one of the engine's shuffle manager. */
  boolean owns(ShuffleHandle handle);

  /**
   * The engine's shuffle manager: for shuffles that fall back, and for the writers of all others.
   * Its writers commit map output files with the names of Spark's.
   */
  ShuffleManager shuffleManager();

  /** Format of the map output files of a shuffle. */
  FrameFormat format(ShuffleDependency<?, ?, ?> dependency);

  /** Decoder of the blocks of a shuffle, for one reduce task. */
  RecordDecoder decoder(ShuffleDependency<?, ?, ?> dependency, TaskContext context);

  /**
   * Gives a reader the type that the engine's operators expect.
   *
   * @param handle handle of the shuffle at Sluice
   * @param reader takes: reads the records of the {@link #decoder}
   */
  <K, C> ShuffleReader<K, C> readerOf(
      BaseShuffleHandle<K, ?, C> handle,
      ShuffleReader<K, C> reader,
      TaskContext context,
      ShuffleReadMetricsReporter metrics);
}
