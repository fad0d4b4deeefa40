package io.sluice.client.trace;

import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.proto.ShuffleId;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes the pushes and reads of tasks, from their beginning to their end. Thread-safe. */
public interface TaskTraces {
  /** Observes nothing. */
  TaskTraces NONE =
      new TaskTraces() {
        @Override
        public BiConsumer<PushCounters, Throwable> push(ShuffleId shuffle, MapAttempt attempt) {
          return (counters, failure) -> {};
        }

        @Override
        public BiConsumer<ReadCounters, Throwable> read(ShuffleReadRequest request) {
          return (counters, failure) -> {};
        }
      };

  /**
   * Returns spans of OpenTelemetry if they are enabled, and a warning in the log if its API is not
   * on the class path.
   */
  static TaskTraces of(boolean enabled) {
    if (!enabled) {
      return NONE;
    }
    try {
      return OpenTelemetryTraces.global();
    } catch (LinkageError e) {
      Logger log = LoggerFactory.getLogger(TaskTraces.class);
      log.warn(
          "rss.client.trace.enabled is true, but the API of OpenTelemetry is not on the class path:"
              + " pushes and reads have no spans; add io.opentelemetry:opentelemetry-api, or set"
              + " the key to false. error={}",
          e.toString());
      return NONE;
    }
  }

  /**
   * Begins the observation of a push, on the task thread.
   *
   * @return receives the counters and the failure of the push at its end, once; null: no failure
   */
  BiConsumer<PushCounters, Throwable> push(ShuffleId shuffle, MapAttempt attempt);

  /**
   * Begins the observation of a read, on the task thread.
   *
   * @return receives the counters and the failure of the read at its end, once; null: no failure
   */
  BiConsumer<ReadCounters, Throwable> read(ShuffleReadRequest request);
}
