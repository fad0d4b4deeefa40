package io.sluice.benchmark.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Bytes of shuffles that a later task of the same run reads, over time.
 *
 * @param bytes from the end of the task that wrote them until the last task that reads their
 *     shuffle has ended
 * @param writtenBytes bytes of all map tasks
 * @param repeatedMaps number of map tasks that wrote output again
 */
record NeededBytes(StepCurve bytes, long writtenBytes, int repeatedMaps) {
  /** A map task of a shuffle. */
  private record MapTask(int shuffle, int map) {}

  private record Output(long written, long bytes) {}

  /**
   * Reads a trace.
   *
   * @param lines as {@code io.sluice.demo.spark.ShuffleTrace} writes them
   */
  static NeededBytes of(Stream<String> lines) {
    Map<MapTask, Output> first = new HashMap<>();
    Map<Integer, Long> lastReads = new HashMap<>();
    long writtenBytes = 0;
    int repeated = 0;
    for (String line : (Iterable<String>) lines::iterator) {
      String[] fields = line.split(" ", -1);
      int shuffle = Integer.parseInt(fields[1]);
      if (fields[0].equals("read")) {
        lastReads.merge(shuffle, Long.parseLong(fields[2]), Math::max);
      } else {
        Output output = new Output(Long.parseLong(fields[3]), Long.parseLong(fields[4]));
        writtenBytes += output.bytes;
        if (first.putIfAbsent(new MapTask(shuffle, Integer.parseInt(fields[2])), output) != null) {
          repeated++;
        }
      }
    }
    return new NeededBytes(StepCurve.ofChanges(changes(first, lastReads)), writtenBytes, repeated);
  }

  private static Map<Long, Long> changes(Map<MapTask, Output> outputs, Map<Integer, Long> reads) {
    Map<Long, Long> changes = new HashMap<>();
    outputs.forEach(
        (task, output) -> {
          long lastRead = Objects.requireNonNullElse(reads.get(task.shuffle), 0L);
          if (lastRead > output.written) {
            changes.merge(output.written, output.bytes, Long::sum);
            changes.merge(lastRead, -output.bytes, Long::sum);
          }
        });
    return changes;
  }
}
