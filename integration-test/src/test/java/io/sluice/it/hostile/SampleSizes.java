package io.sluice.it.hostile;

import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * Memory sizes of the processes from {@code conf/small}. Only the memory for blocks is smaller, so
 * that a test can fill it; other direct memory is as in the sample.
 *
 * @param blocksBytes memory of the server for blocks
 * @param coordinatorOptions options of the coordinator's JVM
 * @param serverOptions options of the server's JVM
 */
record SampleSizes(
    long blocksBytes,
    List<String> coordinatorOptions,
    List<String> serverOptions,
    long serverHeapBytes,
    long serverDirectBytes,
    long coordinatorHeapBytes) {
  private static final long BLOCKS_BYTES = 128L << 20;

  /** Reads the sample configuration. Tests run in the directory of their module. */
  static SampleSizes read() throws IOException {
    Path sample = Path.of("..", "conf", "small");
    Properties coordinator = load(sample.resolve("coordinator.env"));
    Properties server = load(sample.resolve("server.env"));
    // "key value" is read as "key=value".
    Properties configuration = load(sample.resolve("server.conf"));
    long direct =
        DataSize.parse(value(server, "MAX_DIRECT_MEMORY_SIZE")).bytes()
            - DataSize.parse(value(configuration, "rss.server.buffer.capacity")).bytes()
            + BLOCKS_BYTES;
    String serverHeap = value(server, "XMX_SIZE");
    String coordinatorHeap = value(coordinator, "COORDINATOR_XMX_SIZE");
    return new SampleSizes(
        BLOCKS_BYTES,
        List.of("-Xmx" + coordinatorHeap, value(coordinator, "COORDINATOR_JAVA_OPTS")),
        List.of(
            "-Xmx" + serverHeap,
            "-XX:MaxDirectMemorySize=" + direct,
            value(server, "SHUFFLE_SERVER_JAVA_OPTS")),
        DataSize.parse(serverHeap).bytes(),
        direct,
        DataSize.parse(coordinatorHeap).bytes());
  }

  private static Properties load(Path file) throws IOException {
    Properties values = new Properties();
    values.load(new StringReader(Files.readString(file)));
    return values;
  }

  private static String value(Properties values, String key) {
    String value = values.getProperty(key);
    if (value == null) {
      throw new IllegalStateException("the sample configuration conf/small does not set " + key);
    }
    return value;
  }
}
