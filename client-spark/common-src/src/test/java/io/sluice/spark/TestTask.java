package io.sluice.spark;

import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;

/** Creates task contexts without a scheduler. */
public final class TestTask {
  private TestTask() {}

  /** A task with the given task memory, in pages of 1 MiB. */
  public static TaskContextImpl withMemory(long bytes) {
    SparkConf conf = new SparkConf(false).set("spark.buffer.pageSize", "1m");
    TaskMemoryManager memory =
        new TaskMemoryManager(new UnifiedMemoryManager(conf, bytes, 0, 1), 0);
    return new TaskContextImpl(
        0,
        0,
        0,
        7L,
        0,
        1,
        memory,
        new Properties(),
        null,
        new TaskMetrics(),
        1,
        scala.collection.immutable.Map$.MODULE$.empty());
  }
}
