package io.sluice.spark.comet;

import io.sluice.spark.engine.FrameFormat;
import io.sluice.spark.engine.NativeEngine;
import io.sluice.spark.engine.RecordDecoder;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.sql.comet.execution.shuffle.CometBypassMergeSortShuffleHandle;
import org.apache.spark.sql.comet.execution.shuffle.CometColumnarShuffle$;
import org.apache.spark.sql.comet.execution.shuffle.CometNativeShuffleHandle;
import org.apache.spark.sql.comet.execution.shuffle.CometSerializedShuffleHandle;
import org.apache.spark.sql.comet.execution.shuffle.CometShuffleDependency;
import org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager;
import org.apache.spark.sql.comet.execution.shuffle.NativeBatchDecoderIterator;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Comet 0.12: its native and its columnar shuffle, whose map output files have the same frames.
 * Created by name in {@link io.sluice.spark.engine.NativeEngines}. Thread-safe.
 */
public final class CometEngine implements NativeEngine {
  private static final String EXTENSIONS = "spark.sql.extensions";

  private final CometShuffleManager manager;

  /**
   * @throws ReflectiveOperationException if this version of Comet is not supported
   */
  public CometEngine(SparkConf conf) throws ReflectiveOperationException {
    requireDecoder();
    this.manager = new CometShuffleManager(conf);
  }

  /** Checks the class that differs between versions of Comet, before any task needs it. */
  private static void requireDecoder() throws NoSuchMethodException {
    Class<?>[] expected = {InputStream.class, TaskContext.class, SQLMetric.class};
    for (Constructor<?> one : NativeBatchDecoderIterator.class.getConstructors()) {
      if (Arrays.equals(one.getParameterTypes(), expected)) {
        return;
      }
    }
    throw new NoSuchMethodException("the decoder of this Comet has another constructor than 0.12");
  }

  @Override
  public String name() {
    return "Comet";
  }

  @Override
  public void prepare(SparkConf conf) {
    String name = CometShufflePlans.class.getName();
    String others = conf.get(EXTENSIONS, "");
    conf.set(EXTENSIONS, others.isEmpty() ? name : others + "," + name);
  }

  @Override
  public boolean uses(ShuffleDependency<?, ?, ?> dependency) {
    return dependency instanceof CometShuffleDependency;
  }

  @Override
  public boolean owns(ShuffleHandle handle) {
    return handle instanceof CometNativeShuffleHandle
        || handle instanceof CometSerializedShuffleHandle
        || handle instanceof CometBypassMergeSortShuffleHandle;
  }

  @Override
  public ShuffleManager shuffleManager() {
    return manager;
  }

  @Override
  public FrameFormat format(ShuffleDependency<?, ?, ?> dependency) {
    // Only the files of the columnar shuffle are encrypted, with Spark's key.
    boolean encrypted = isColumnar((CometShuffleDependency<?, ?, ?>) dependency);
    return new CometFrames(
        encrypted ? SparkEnv.get().serializerManager()::wrapForEncryption : plain -> plain);
  }

  private static boolean isColumnar(CometShuffleDependency<?, ?, ?> dependency) {
    return dependency.shuffleType().equals(CometColumnarShuffle$.MODULE$);
  }

  @Override
  public RecordDecoder decoder(ShuffleDependency<?, ?, ?> dependency, TaskContext context) {
    return new CometDecoder((CometShuffleDependency<?, ?, ?>) dependency, context);
  }

  @Override
  public <K, C> ShuffleReader<K, C> readerOf(
      BaseShuffleHandle<K, ?, C> handle,
      ShuffleReader<K, C> reader,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    return new CometReader<>(handle, reader, context, metrics);
  }
}
